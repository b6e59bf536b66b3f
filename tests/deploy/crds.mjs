// What the CustomResourceDefinitions of other projects say to documents, by the validators that the
// packages of @kubernetes-models have of them. Usage: node crds.mjs NODE_MODULES; standard input
// has a line for each document, {"module": .., "document": ..}, and is answered by a line each, the
// list of what is wrong.
//
// A validator does not mind fields that it does not know; an API server refuses them, when it is
// strict. But a validator asks an object for every field that it knows: what it does not ask for is
// unknown. An object that it never looks into may hold anything.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const modules = pathToFileURL(`${process.argv[2]}/`);

function watch(value, path, seen) {
  if (value === null || typeof value !== "object") return value;
  const asked = new Set();
  const inner = new Map();
  seen.push({ value, path, asked });
  return new Proxy(value, {
    get(target, key) {
      asked.add(key);
      if (!Object.hasOwn(target, key)) return target[key];
      if (!inner.has(key)) inner.set(key, watch(target[key], `${path}/${String(key)}`, seen));
      return inner.get(key);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      keys.forEach((key) => asked.add(key));
      return keys;
    },
  });
}

function unknown({ value, path, asked }) {
  if (Array.isArray(value) || asked.size === 0) return [];
  const keys = Object.keys(value).filter((key) => !asked.has(key));
  return keys.map((key) => `${path}/${key}: unknown`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { module, document } = JSON.parse(line);
  const { validate } = await import(new URL(`@kubernetes-models/${module}.js`, modules));
  const seen = [];
  const errors = validate(watch(document, "", seen)) ? [] : validate.errors;
  const said = errors.map((e) => `${e.instancePath}: ${e.keyword} ${JSON.stringify(e.params)}`);
  console.log(JSON.stringify([...said, ...seen.flatMap(unknown)]));
}
