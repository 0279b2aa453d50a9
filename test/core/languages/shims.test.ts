import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getLanguage } from '../../../src/core/languages/index.ts'
import type { LanguageName } from '../../../src/core/languages/language.ts'
import { ProgramAnswers } from '../../../src/core/languages/program-answers.ts'
import { resolveLanguage } from '../../../src/core/languages/resolve-language.ts'
import { createFolder } from '../../helpers/skills.ts'

interface Machine {
  dir: string
  /** Resolves a language with these folders in PATH. */
  resolve(
    language: LanguageName,
    folders: readonly string[],
    env?: Record<string, string>,
  ): ReturnType<typeof resolveLanguage>
}

/** Creates a home folder with executable files and links, by their paths. */
function createMachine(files: Record<string, string>, links: Record<string, string> = {}): Machine {
  const dir = realpathSync(createFolder())
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text.replaceAll('HOME_DIR', dir))
    chmodSync(join(dir, path), 0o755)
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    symlinkSync(target, join(dir, path))
  }
  const answers = new ProgramAnswers(join(dir, 'cache'))
  return {
    dir,
    resolve: async (name, folders, env = {}) =>
      await resolveLanguage({
        language: getLanguage(name),
        cwd: dir,
        env: { PATH: folders.map((each) => join(dir, each)).join(':'), HOME: dir, ...env },
        excluded: [join(dir, 'repo')],
        python: undefined,
        answers,
      }),
  }
}

async function findReal(found: ReturnType<typeof resolveLanguage>): Promise<string | undefined> {
  const resolved = await found
  if (resolved.kind !== 'resolved') throw new Error(resolved.sentence)
  return resolved.programs.get(resolved.candidate.program)?.real
}

/** A program that answers with its own path, whatever it is asked. */
const TRUTHFUL = '#!/bin/sh\necho "$0"\n'
/** A Ruby whose shims call it by a path. */
const REAL_RUBY = 'versions/3.3.1/bin/ruby'

/** The shim that rbenv, pyenv, nodenv and others write, in the manager's own folder. */
function createEnvShim(manager: string): string {
  const variable = `${manager.toUpperCase()}_ROOT`
  return `#!/bin/bash\nset -e\nprogram="\${0##*/}"\nexport ${variable}="HOME_DIR/.${manager}"\nexec "HOME_DIR/.${manager}/libexec/${manager}" exec "$program" "$@"\n`
}

/** A manager that selects a version by its variable, and refuses versions that do not exist. */
function createEnvManager(manager: string): string {
  const upper = manager.toUpperCase()
  return `#!/bin/bash
version="\${${upper}_VERSION:-$(/bin/cat HOME_DIR/.${manager}/version)}"
program="HOME_DIR/.${manager}/versions/$version/bin/$2"
if [ ! -x "$program" ]; then echo "${manager}: version \\\`$version' is not installed" >&2; exit 1; fi
if [ "$1" = which ]; then echo "$program"; exit 0; fi
shift 2
exec "$program" "$@"
`
}

function createRbenv(): Machine {
  return createMachine({
    '.rbenv/shims/ruby': createEnvShim('rbenv'),
    '.rbenv/libexec/rbenv': createEnvManager('rbenv'),
    '.rbenv/version': '3.3.1\n',
    [`.rbenv/${REAL_RUBY}`]: TRUTHFUL,
    '.rbenv/versions/3.2.0/bin/ruby': TRUTHFUL,
    'older/bin/ruby': '#!/bin/sh\necho HOME_DIR/older/bin/ruby\n',
  })
}

describe('a shim is resolved to its program', () => {
  it('with the variables of its manager', async () => {
    const { dir, resolve } = createRbenv()
    const folders = ['.rbenv/shims']
    expect(await findReal(resolve('ruby', folders))).toBe(join(dir, '.rbenv', REAL_RUBY))
    const env = { RBENV_VERSION: '3.2.0' }
    expect(await findReal(resolve('ruby', folders, env))).toBe(
      join(dir, '.rbenv/versions/3.2.0/bin/ruby'),
    )
  })

  it('again when its manager selects another version', async () => {
    const { dir, resolve } = createRbenv()
    await resolve('ruby', ['.rbenv/shims'])
    writeFileSync(join(dir, '.rbenv/version'), '3.2.0\n')
    expect(await findReal(resolve('ruby', ['.rbenv/shims']))).toContain('3.2.0')
  })

  it('by the name of the link, which rustup reads', async () => {
    const rustup = `#!/bin/sh
if [ "\${0##*/}" != rustc ]; then echo "unknown proxy \${0##*/}" >&2; exit 1; fi
echo "\${RUSTUP_HOME}/toolchains/\${RUSTUP_TOOLCHAIN:-stable}"
`
    const { dir, resolve } = createMachine(
      {
        '.cargo/bin/rustup': rustup,
        '.cargo/bin/cc': '#!/bin/sh\n',
        '.cargo/credentials.toml': 'token = "x"',
        'rust/toolchains/stable/bin/rustc': '#!/bin/sh\necho rustc 1.80.0\n',
        'rust/toolchains/nightly/bin/rustc': '#!/bin/sh\necho rustc 1.90.0\n',
        'cc/bin/cc': '#!/bin/sh\n',
      },
      { '.cargo/bin/rustc': 'rustup' },
    )
    const env = { RUSTUP_HOME: join(dir, 'rust') }
    const folders = ['cc/bin', '.cargo/bin']
    expect(await findReal(resolve('rust', folders, env))).toBe(
      join(dir, 'rust/toolchains/stable/bin/rustc'),
    )
    const nightly = resolve('rust', folders, { ...env, RUSTUP_TOOLCHAIN: 'nightly' })
    expect(await findReal(nightly)).toBe(join(dir, 'rust/toolchains/nightly/bin/rustc'))
  })

  it.each([
    ['volta', 'volta-shim', 'VOLTA_HOME'],
    ['mise', 'mise', 'MISE_DATA_DIR'],
  ])('of %s, a link to a program of another name', async (_, program, variable) => {
    const shim = `#!/bin/sh\nif [ "\${0##*/}" != node ]; then exit 1; fi\necho "$${variable}/node/bin/node"\n`
    const { dir, resolve } = createMachine(
      { [`manager/${program}`]: shim, 'data/node/bin/node': '#!/bin/sh\necho v22.20.0\n' },
      { 'shims/node': `../manager/${program}` },
    )
    const found = resolve('node', ['shims'], { [variable]: join(dir, 'data') })
    expect(await findReal(found)).toBe(join(dir, 'data/node/bin/node'))
  })

  it('by the manager, if its program does not report its own path', async () => {
    const shim = '#!/bin/bash\n# asdf-plugin: kotlin 2.0.0\nexec asdf exec "kotlinc" "$@"\n'
    const { dir, resolve } = createMachine({
      '.asdf/shims/kotlinc': shim,
      '.asdf/bin/asdf': `#!/bin/sh\n[ "$1" = which ] && echo "$ASDF_DATA_DIR/installs/kotlin/2.0.0/bin/$2"\n`,
      'data/installs/kotlin/2.0.0/bin/kotlinc': '#!/bin/sh\n',
      'jdk/bin/java': '#!/bin/sh\necho "    java.home = HOME_DIR/jdk"\n',
    })
    const env = { ASDF_DATA_DIR: join(dir, 'data') }
    const found = resolve('kotlin', ['.asdf/shims', '.asdf/bin', 'jdk/bin'], env)
    expect(await findReal(found)).toBe(join(dir, 'data/installs/kotlin/2.0.0/bin/kotlinc'))
  })

  it('also for the other programs that a language needs', async () => {
    const java = '#!/bin/sh\necho "openjdk 21.0.1" >&2\necho "    java.home = HOME_DIR/jdk"\n'
    const { dir, resolve } = createMachine({
      'shims/java': java,
      'shims/javac': java,
      'jdk/bin/java': '#!/bin/sh\necho openjdk 21.0.1\n',
      'jdk/bin/javac': '#!/bin/sh\n',
    })
    const resolved = await resolve('java', ['shims'])
    if (resolved.kind !== 'resolved') throw new Error(resolved.sentence)
    const reals = [...resolved.programs.values()].map(({ real }) => real)
    expect(reals).toEqual([join(dir, 'jdk/bin/java'), join(dir, 'jdk/bin/javac')])
  })

  it('in a folder without settings of a project', async () => {
    const { dir, resolve } = createMachine({
      'shims/ruby': '#!/bin/sh\necho "$PWD" > HOME_DIR/asked-in\necho HOME_DIR/real/bin/ruby\n',
      'real/bin/ruby': TRUTHFUL,
    })
    expect(await findReal(resolve('ruby', ['shims']))).toBe(join(dir, 'real/bin/ruby'))
    expect(readFileSync(join(dir, 'asked-in'), 'utf8')).toBe('/\n')
  })

  it('wherever it lies: a link to a program of the system is asked too', async () => {
    const { resolve } = createMachine(
      { 'cc/bin/cc': '#!/bin/sh\n' },
      { 'bin/rustc': '/usr/bin/echo' },
    )
    const found = await resolve('rust', ['bin', 'cc/bin'])
    expect(found).toMatchObject({ kind: 'missing' })
    expect('sentence' in found && found.sentence).toContain('does not report its path')
  })

  it('except programs of the system with their usual name', async () => {
    const { resolve } = createMachine({}, { 'bin/perl': '/usr/bin/perl' })
    expect(await findReal(resolve('perl', ['bin']))).toBe(realpathSync('/usr/bin/perl'))
  })
})

describe('a shim that does not work', () => {
  it('explains itself in the message', async () => {
    const { resolve } = createRbenv()
    const found = await resolve('ruby', ['.rbenv/shims'], { RBENV_VERSION: '9.9' })
    expect(found.kind).toBe('missing')
    expect('sentence' in found && found.sentence).toContain("rbenv: version `9.9' is not installed")
  })

  it('is reported if an older program of its name runs instead', async () => {
    const { dir, resolve } = createRbenv()
    const folders = ['.rbenv/shims', 'older/bin']
    const found = await resolve('ruby', folders, { RBENV_VERSION: '9.9' })
    if (found.kind !== 'resolved') throw new Error(found.sentence)
    expect(found.programs.get('ruby')?.real).toBe(join(dir, 'older/bin/ruby'))
    expect(found.notices).toEqual([
      `"${dir}/.rbenv/shims/ruby" does not start: rbenv: version \`9.9' is not installed`,
    ])
    // Control: a shim that works is used without a notice.
    const working = await resolve('ruby', folders)
    expect(working.kind === 'resolved' && working.notices).toEqual([])
  })

  it('of Python explains itself', async () => {
    const { resolve } = createMachine({
      'shims/python3': '#!/bin/sh\necho "pyenv: python3: command not found" >&2\nexit 127\n',
    })
    const found = await resolve('python', ['shims'])
    expect('sentence' in found && found.sentence).toContain('pyenv: python3: command not found')
  })

  it.each([
    ['of a project', 'repo/bin/ruby', 'belongs to a project folder'],
    ['that other users can write to', 'open/bin/ruby', 'Other users can write to'],
  ])('because it names a program %s is not followed', async (_, target, reason) => {
    const { dir, resolve } = createMachine({
      'shims/ruby': `#!/bin/sh\necho HOME_DIR/${target}\n`,
      [target]: `#!/bin/sh\ntouch HOME_DIR/started\n`,
    })
    if (target.startsWith('open/')) chmodSync(join(dir, 'open'), 0o777)
    const found = await resolve('ruby', ['shims'])
    expect(found.kind).toBe('missing')
    expect('sentence' in found && found.sentence).toContain(reason)
  })
})

it('a manager is queried with its own variables, without secrets and without installing', async () => {
  const { dir, resolve } = createMachine({
    'shims/ruby': '#!/bin/sh\n/usr/bin/env > HOME_DIR/variables\necho HOME_DIR/real/bin/ruby\n',
    'real/bin/ruby': TRUTHFUL,
  })
  await resolve('ruby', ['shims'], {
    MISE_DATA_DIR: '/data',
    MISE_GITHUB_TOKEN: 'private-value',
    DATABASE_URL: 'private-value',
  })
  const variables = readFileSync(join(dir, 'variables'), 'utf8')
  expect(variables).toContain('MISE_DATA_DIR=/data')
  expect(variables).toContain('RUSTUP_AUTO_INSTALL=0')
  expect(variables).not.toContain('private-value')
})
