// Reads Dockerfiles with the parser of Docker's language server; prints what it says of them.
// Usage: node lint_dockerfiles.cjs NODE_MODULES < names of files
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");

const { validate } = createRequire(`${process.argv[2]}/`)("dockerfile-utils");
for (const name of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  for (const { range, message } of validate(readFileSync(name, "utf8"), {})) {
    console.log(`${name}:${range.start.line + 1}: ${message}`);
  }
}
