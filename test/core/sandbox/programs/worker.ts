import { text } from 'node:stream/consumers'
import { runProgram } from '../../runs/run-program.ts'
import type { ProgramReport, ProgramSpec } from './start-worker.ts'

/** Starts the programs that it reads from stdin and reports one per line. */
const { data, specs } = JSON.parse(await text(process.stdin)) as {
  data: string
  specs: ProgramSpec[]
}

for (const { id, argv, settings, ...given } of specs) {
  const { terminal, ...plan } = given
  const report: ProgramReport = { id, user: process.getuid?.() ?? 0 }
  try {
    const program = { argv, cwd: '/workspace', env: {}, ...(terminal && { terminal }) }
    const ran = await runProgram(argv, {
      data,
      plan: { ...plan, program },
      call: { env: { PATH: '/usr/bin:/bin' } },
      ...(settings && { settings }),
    })
    const { stdout, stderr, status, exitCode, error, isolation } = ran
    Object.assign(report, { stdout, stderr, status, exitCode, error, isolation })
  } catch (error) {
    report.thrown = (error as Error).message
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
