import { toSkillsError } from '../../../../src/errors.ts'
import { KIND_ROWS, createKindsRuntime } from './rows.ts'

/** Runs every row in a process of the current user; prints the results as JSON. */
const { data, settings } = JSON.parse(process.argv[2] ?? '') as {
  data: string
  settings: Record<string, unknown>
}
const runtime = await createKindsRuntime(data, { settings })
const call = { cwd: data, env: { PATH: process.env['PATH'] } }
for (const row of KIND_ROWS) {
  const ended = await row
    .print(runtime, 'hello', call)
    .then(() => 'ran')
    .catch((error: unknown) => toSkillsError(error).code)
  process.stdout.write(`${JSON.stringify({ name: row.name, ended })}\n`)
}
process.exit(0)
