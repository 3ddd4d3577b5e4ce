"""Page at the address of a table's `workspaceUrl`, until the workspace is there."""

from firmograph.api.docs_and_health import PAGE_POLICY
from firmograph.api.endpoint import Call, Endpoint, Reply

_PAGE = b"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Firmograph workspace</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>
body {
  font-family: system-ui, sans-serif;
  line-height: 1.5;
  margin: 4rem auto;
  max-width: 36rem;
  padding: 0 1rem;
}
</style>
</head>
<body>
<h1>The workspace is not here yet</h1>
<p>Tables will be shown here with a later release. Until then they are read by the API, which is described in its
<a href="../../docs">reference</a>, and by the command <code>firmograph table</code>.</p>
</body>
</html>
"""


def page_endpoint() -> Endpoint:
    # the id is not read: the page is the same whether there is such a table or not
    def get_workspace_page(call: Call[None]) -> Reply:
        return Reply(_PAGE, media_type="text/html; charset=utf-8")

    return Endpoint(
        name="get_workspace_page",
        method="GET",
        path="/workspace/tables/{table_id}",
        function=get_workspace_page,
        authentication="none",
        documented=False,
        headers=PAGE_POLICY,
    )
