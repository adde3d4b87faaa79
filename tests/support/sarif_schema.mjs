// Validates a SARIF log (stdin) against the official schema; prints the mistakes, one a line.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const packages = process.argv[2];
const load = createRequire(join(packages, "x.js"));
const Ajv = load("ajv");
const place = join(packages, "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const ajv = new Ajv({ allErrors: true, schemaId: "auto" });
ajv.addMetaSchema(load("ajv/lib/refs/json-schema-draft-04.json"));
const validate = ajv.compile(JSON.parse(readFileSync(place, "utf8")));
validate(JSON.parse(readFileSync(0, "utf8")));
for (const error of validate.errors ?? []) {
  console.log(`${error.dataPath} ${error.message} ${JSON.stringify(error.params)}`);
}
