// Reads a GitHub workflow with GitHub's own parser; prints what is wrong with it, status 1 then.
// Usage: node workflow.bundle.mjs FILE (tests/e2e/test_workflow.py bundles it)
import { readFileSync } from "node:fs";

import {
  NoOperationTraceWriter,
  convertWorkflowTemplate,
  parseWorkflow,
} from "@actions/workflow-parser";
import { ErrorPolicy } from "@actions/workflow-parser/model/convert";

const name = process.argv[2];
const parsed = parseWorkflow(
  { name, content: readFileSync(name, "utf8") },
  new NoOperationTraceWriter(),
);
const errors = parsed.context.errors.getErrors().map((error) => error.message);
const jobs = [];
if (parsed.value) {
  const workflow = await convertWorkflowTemplate(parsed.context, parsed.value, undefined, {
    errorPolicy: ErrorPolicy.TryConversion,
  });
  errors.push(...(workflow.errors ?? []).map((error) => error.Message));
  jobs.push(...workflow.jobs.map((job) => job.id.value));
}
const all = [...new Set(errors)];
console.log(all.length ? all.join("\n") : `jobs: ${jobs.join(" ")}`);
process.exit(all.length ? 1 : 0);
