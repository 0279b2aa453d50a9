import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { createOwnName, sweepLeftovers } from '../../../util/leftovers.ts'
import { toPrintable } from '../../../util/printable.ts'
import { runPythonModule } from '../../languages/run-python-module.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import { resolveHostPath } from '../../languages/host-path.ts'
import type { DeclaredLock } from './declared-lock.ts'
import { checkInstalled, createInstalledManifest, type CheckedLocations } from './installed-files.ts'
import type { PackagesLocation } from './packages-location.ts'

/** Input of an installation. */
interface Installation {
  lock: DeclaredLock
  location: PackagesLocation
  checked: CheckedLocations
  interpreter: Interpreter
  /** A folder of wheels that replaces the package index. */
  from?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

/**
 * Installs the pinned packages of a lock file, unless they are installed; one rename makes them
 * visible, and no code of a wheel is ever executed.
 */
export async function installDependencies(installation: Installation): Promise<'installed' | 'unchanged'> {
  const { location, checked } = installation
  if ((await checkInstalled(location, checked)).state === 'installed') return 'unchanged'
  await mkdir(location.root, { recursive: true, mode: 0o700 })
  // A folder that a killed installation still writes to is swept by the next one.
  await sweepLeftovers(location.root).catch(() => {})
  const draft = join(location.root, createOwnName())
  try {
    await mkdir(join(draft, 'whole'), { recursive: true, mode: 0o700 })
    await installPackages(draft, installation)
    return await publishDraft(draft, installation)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function installPackages(draft: string, installation: Installation): Promise<void> {
  const { lock, location, interpreter, from, env, signal } = installation
  const name = `packages-${randomBytes(8).toString('hex')}`
  const [packages, lines] = [join(draft, 'whole', name), join(draft, 'lines.txt')]
  await writeFile(lines, `${lock.pins.map(({ line }) => line).join('\n')}\n`, { mode: 0o600 })
  await mkdir(packages)
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
  await makeWorldReadable(packages)
  await writeFile(join(draft, 'whole', 'manifest.json'), await createInstalledManifest(packages))
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

/** A run has another user id than the installing process. */
async function makeWorldReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeWorldReadable(path)
    else if (entry.isFile())
      await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}

/** Keeps valid packages that another process installed meanwhile; replaces damaged ones. */
async function publishDraft(
  draft: string,
  { location, checked }: Installation,
): Promise<'installed' | 'unchanged'> {
  for (let tries = 0; ; tries++) {
    try {
      await rename(join(draft, 'whole'), location.dir)
      return 'installed'
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EEXIST', 'ENOTEMPTY'].includes(code) || tries === MAX_TRIES) throw error
    }
    if ((await checkInstalled(location, checked)).state === 'installed') return 'unchanged'
    await rename(location.dir, join(draft, `damaged${tries}`)).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      },
    )
  }
}

const MAX_TRIES = 10

function installFailedError({ skill, file }: DeclaredLock, output: string): SkillsError {
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
