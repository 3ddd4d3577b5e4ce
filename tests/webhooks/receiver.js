// A receiver's check of a delivery, as specified: HMAC-SHA256 of timestamp + "." + the JSON of the parsed body.
// Reads one JSON object a line, {secret, timestamp, body}, and writes one, {signature, body}.
const crypto = require("node:crypto");

let rest = "";
process.stdin.setEncoding("utf8").on("data", (part) => {
  const lines = (rest + part).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { secret, timestamp, body } = JSON.parse(line);
    const again = JSON.stringify(JSON.parse(body));
    const signature = crypto.createHmac("sha256", secret).update(timestamp + "." + again).digest("hex");
    process.stdout.write(JSON.stringify({ signature, body: again }) + "\n");
  }
});
