import { createRuntimeIn } from '../run-python.ts'

/** A front in a process of its own: starts detached runs, prints their ids and stays. */
const { data, codes, settings } = JSON.parse(process.argv[2] ?? '') as {
  data: string
  codes: string[]
  settings: Record<string, unknown>
}
const runtime = await createRuntimeIn(data, settings)
const call = { cwd: data, env: { PATH: process.env['PATH'], HOME: data } }
process.stdout.write('starting\n')
for (const code of codes) {
  const { runId } = await runtime.execute({ runtime: 'shell', code, detach: true }, call)
  process.stdout.write(`${runId}\n`)
}
setInterval(() => {}, 1000)
