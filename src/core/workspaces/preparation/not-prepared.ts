import { SkillsError } from '../../../errors.ts'

const MAX_DETAIL = 500

/** The workspace is not in the configured state; includes the end of the program's message. */
export function notPreparedError(problem: string, output: string): SkillsError {
  const shown = output.trim().slice(-MAX_DETAIL)
  const message = `The workspace is not ready: ${problem}${shown === '' ? '' : `: ${shown}`}`
  return new SkillsError('workspace/not-prepared', message, {
    hint: 'Fix workspace.init, workspace.files or workspace.commands in skills.config.toml',
  })
}

/** Describes a failed command, and returns its output. */
export function describeCommandFailure(
  { cmd }: { cmd: string },
  run: { exitCode: number; stdout: string; stderr: string },
): [what: string, said: string] {
  const output = run.stderr.trim() === '' ? run.stdout : run.stderr
  return [`"${cmd}" ended with exit code ${run.exitCode}`, output]
}
