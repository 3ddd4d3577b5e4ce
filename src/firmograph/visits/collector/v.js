// Script of a tracked website: tells the collector which pages are seen, and for how long.
// It keeps nothing in the browser, and does nothing where the visitor asks not to be tracked.
// Lines of comment and indentation are left out as it is served: keep comments on lines of their own.
(() => {
  if (navigator.globalPrivacyControl || navigator.doNotTrack == 1) return;

  const script = document.currentScript;
  const collector = script.src.replace(/v\.js.*/, "v");
  const now = () => Date.now() / 1e3;
  const url = () => (location.origin + location.pathname).slice(0, 2e3);
  // the page in view, with all that the collector is sent of it
  let page;
  // when the visitor began to look at it, 0 while it is hidden
  let since;

  const send = (sent) => {
    sent.age = now() - sent.time;
    const body = JSON.stringify(sent);
    // a beacon would send cookies of the collector's domain, so it is for browsers that know nothing else
    if (!("keepalive" in Request.prototype)) navigator.sendBeacon(collector, body);
    else
      fetch(collector, { method: "POST", mode: "no-cors", credentials: "omit", keepalive: true, body }).catch(
        () => 0
      );
  };

  // an e-mail address never leaves the browser: only its domain and its digest do
  const identify = async (sent) => {
    const given = { ...script.dataset, ...window.firmograph };
    const email = `${given.email || ""}`.trim().toLowerCase();
    if (given.customerId) sent.customerId = `${given.customerId}`;
    if (!email.includes("@")) return;
    sent.emailDomain = email.split("@").pop();
    // browsers have digests on https only
    if (!window.isSecureContext) return;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(email));
    sent.emailHash = [...new Uint8Array(digest)].map((byte) => (256 + byte).toString(16).slice(1)).join("");
  };

  const begin = () => {
    leave();
    const begun = (page = { url: url(), time: now() });
    since = document.hidden ? 0 : begun.time;
    identify(begun).then(() => send(begun));
  };

  const leave = () => {
    if (!since) return;
    page.durationSeconds = (page.durationSeconds || 0) + now() - since;
    since = 0;
    send(page);
  };

  const see = () => {
    if (document.hidden) leave();
    else if (page) since ||= now();
    else begin();
  };

  const follow = () => {
    if (page && page.url != url()) begin();
  };

  const push = history.pushState;
  history.pushState = (...given) => {
    push.apply(history, given);
    follow();
  };
  addEventListener("popstate", follow);
  addEventListener("pagehide", leave);
  // a page that the browser kept is seen anew
  addEventListener("pageshow", (event) => event.persisted && begin());
  document.addEventListener("visibilitychange", see);
  if (document.prerendering) document.addEventListener("prerenderingchange", see);
  else see();
})();
