// A bot that speaks the protocol of PROTOCOL.md, in JavaScript for Node.
//
//   arena match connect_four random 'process:command="node examples/bot.js"'
"use strict";

let state = 1;

function below(n) {
  // xorshift32: the same seed gives the same match
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
}

function answer(message) {
  const found = { type: message.type, id: message.id };
  if (message.type === "hello") return { ...found, protocol: 1, name: "bot.js" };
  if (message.type === "reset") {
    state = Number(BigInt.asUintN(32, BigInt(Math.trunc(message.seed / 4096)))) || 1;
    return found;
  }
  if (message.type === "act") return { ...found, action: message.legal[below(message.legal.length)] };
  return null; // close, or something newer than this bot
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const found = answer(JSON.parse(line));
    if (found !== null) process.stdout.write(JSON.stringify(found) + "\n");
  });
