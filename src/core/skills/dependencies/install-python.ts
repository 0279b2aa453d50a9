import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { runPythonModule } from '../../languages/run-python-module.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import { resolveHostPath } from '../../languages/host-path.ts'
import type { PythonLock } from './declared-lock.ts'
import type { PackagesLocation } from './packages-location.ts'

/** Input of pip. */
interface PythonInstallation {
  lock: PythonLock
  location: Pick<PackagesLocation, 'inside'>
  interpreter: Interpreter
  /** A folder of wheels that replaces the package index. */
  from?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

/** Installs the pinned wheels into an empty folder. No code of a wheel is executed. */
export async function fillWithWheels(
  { packages, draft }: { packages: string; draft: string },
  installation: PythonInstallation,
): Promise<void> {
  const { lock, location, interpreter, from, env, signal } = installation
  const lines = join(draft, 'lines.txt')
  await writeFile(lines, `${lock.pins.map(({ line }) => line).join('\n')}\n`, { mode: 0o600 })
  const executable = resolveHostPath(interpreter, interpreter.executable)
  const context = { executable, env, temporaryFolder: draft, signal }
  const output = await runPythonModule({
    ...context,
    args: [
      'pip',
      ...FLAGS,
      ...(from === undefined ? [] : ['--no-index', '--find-links', from]),
      '--target',
      packages,
      '--requirement',
      lines,
    ],
  })
  if (signal?.aborted) throw new SkillsError('run/cancelled', 'The installation was cancelled')
  if (output !== undefined) throw installFailedError(lock, output)
  // Compiles in advance, because runs cannot store compiled files; code for another Python version
  // fails to compile, which is ignored.
  const compileArgs = ['compileall', '-q', '--invalidation-mode', 'unchecked-hash']
  await runPythonModule({
    ...context,
    args: [...compileArgs, '-s', packages, '-p', location.inside, packages],
  })
}

const FLAGS = [
  'install',
  '--require-hashes',
  '--no-deps',
  '--only-binary=:all:',
  '--no-input',
  '--disable-pip-version-check',
  '--no-compile',
  '--no-cache-dir',
  '--ignore-installed',
  '--quiet',
]

function installFailedError({ skill, file }: PythonLock, output: string): SkillsError {
  const lines = output.split('\n').filter((line) => line.startsWith('ERROR: '))
  const shown = (lines.length > 0 ? lines.map((line) => line.slice(7)) : [output.trim()]).join('; ')
  const reason = toPrintable(shown.replaceAll(/\s+/g, ' ').slice(0, 600))
  return new SkillsError(
    'dependencies/not-installed',
    `The dependencies of "${skill}" cannot be installed: ${reason}`,
    { hint: findInstallHint(output) ?? `Compare ${file} with the packages in the index or in the folder of wheels` },
  )
}

function findInstallHint(output: string): string | undefined {
  if (output.includes('No module named pip')) {
    return 'Install pip for the Python of runs, or set run.python to another one'
  }
  return output.includes('connection broken')
    ? 'Check the connection to the package index, or name a folder of wheels with --from'
    : undefined
}
