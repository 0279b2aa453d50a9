// @module-tag slow
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LanguageName } from '../../../src/core/languages/language.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createPolicyRuntime } from '../runs/policy-runtime.ts'

/** A version manager with one version of one program, as it lays out a home folder. */
interface VersionManager {
  language: LanguageName
  /** The name that a caller gives. */
  executable: string
  /** Folder of the versions, and the program below it. */
  versions: string
  program: string
  /** Another name of the same program, which a rule denies. */
  otherName: string
  /** Folder in PATH, if it is not that of the program. */
  shims?: string
  /** Shim in that folder: a script, or a link to a program. */
  shim?: { script: string } | { link: string; manager: string }
  env?: Readonly<Record<string, string>>
}

const PYTHON = realpathSync('/usr/bin/python3')

/** The script that pyenv, rbenv and others write for each program. */
const createEnvShim = (manager: string) => ({
  script: `#!/usr/bin/env bash
set -e
[ -n "$${manager.toUpperCase()}_DEBUG" ] && set -x
program="\${0##*/}"
export ${manager.toUpperCase()}_ROOT="HOME/.${manager}"
exec "HOME/.${manager}/libexec/${manager}" exec "$program" "$@"
`,
})
const createLink = (manager: string) => ({ link: `../bin/${manager}`, manager })

const env = (manager: string, language: LanguageName, program: string): VersionManager => ({
  language,
  executable: program,
  versions: `.${manager}/versions`,
  program: `1.2.3/bin/${program}`,
  otherName: `${program}-1.2`,
  shims: `.${manager}/shims`,
  shim: createEnvShim(manager),
})

const MANAGERS: Readonly<Record<string, VersionManager>> = {
  pyenv: { ...env('pyenv', 'python', 'python'), otherName: 'python3' },
  asdf: {
    ...env('asdf', 'python', 'python'),
    versions: '.asdf/installs/python',
    otherName: 'python3',
    shim: {
      script:
        '#!/usr/bin/env bash\n# asdf-plugin: python 1.2.3\nexec HOME/.asdf/libexec/asdf exec "python" "$@"\n',
    },
  },
  mise: {
    ...env('mise', 'node', 'node'),
    versions: '.local/share/mise/installs/node',
    shims: '.local/share/mise/shims',
    shim: createLink('mise'),
  },
  rbenv: env('rbenv', 'ruby', 'ruby'),
  nodenv: env('nodenv', 'node', 'node'),
  goenv: env('goenv', 'go', 'go'),
  phpenv: env('phpenv', 'php', 'php'),
  plenv: env('plenv', 'perl', 'perl'),
  volta: {
    ...env('volta', 'node', 'node'),
    versions: '.volta/tools/image/node',
    shims: '.volta/shims',
    shim: createLink('volta-shim'),
  },
  nvm: { ...env('nvm', 'node', 'node'), versions: '.nvm/versions/node' },
  fnm: { ...env('fnm', 'node', 'node'), versions: '.local/share/fnm/node-versions' },
  sdkman: {
    ...env('sdkman', 'java', 'java'),
    versions: '.sdkman/candidates/java',
  },
  jenv: env('jenv', 'java', 'java'),
  rustup: {
    ...env('rustup', 'rust', 'rustc'),
    versions: '.rustup/toolchains',
    shims: '.cargo/shims',
    shim: createLink('rustup'),
  },
}
for (const name of ['nvm', 'fnm', 'sdkman']) {
  const manager = MANAGERS[name] as VersionManager
  delete manager.shim
  delete manager.shims
}

/** Answers each question that a language asks its program for its path or its version. */
const createProgram = (home: string, root: string, program: string) => `#!/bin/sh
case "$*" in
  *version*|*-V*) case "$*" in *XshowSettings*) ;; *) echo "go version go99.1.1 v99.1.1"; exit 0;; esac;;
esac
case "$*" in
  *GOROOT*|*sysroot*) echo "${root}";;
  *XshowSettings*) echo "    java.home = ${root}"; echo 'openjdk version "99.1.1"';;
  *) echo "${join(home, program)}";;
esac
`

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

/** Builds the home folder of a manager; returns its PATH and the paths that a rule may name. */
function createHome({ versions, program, otherName, shims, shim, language }: VersionManager) {
  const home = realpathSync(createFolder())
  const real = join(home, versions, program)
  const folder = dirname(real)
  const root = dirname(folder)
  mkdirSync(folder, { recursive: true })
  if (language === 'python') {
    // A Python of its own: two names are links to the third one.
    copyFileSync(PYTHON, join(folder, basename(PYTHON)))
    mkdirSync(join(root, 'lib'))
    symlinkSync(join('/usr/lib', basename(PYTHON)), join(root, 'lib', basename(PYTHON)))
    symlinkSync(basename(PYTHON), join(folder, 'python3'))
    symlinkSync('python3', real)
  } else {
    writeProgram(real, createProgram(home, root, join(versions, program)))
    symlinkSync(basename(program), join(folder, otherName))
  }
  for (const needed of ['javac', 'cc']) {
    const text = createProgram(home, root, join(versions, dirname(program), needed))
    writeProgram(join(folder, needed), text)
    writeProgram(join(home, 'tools', needed), text)
  }
  const start = `#!/bin/bash\nif [ "$1" = which ]; then echo ${real}; exit; fi\nshift 2\nexec ${real} "$@"\n`
  for (const manager of ['pyenv', 'asdf', 'rbenv', 'nodenv', 'goenv', 'phpenv', 'plenv', 'jenv'])
    writeProgram(join(home, `.${manager}/libexec/${manager}`), start)
  const named = join(home, shims ?? '', basename(program))
  if (shim && 'script' in shim) writeProgram(named, shim.script.replaceAll('HOME', home))
  else if (shim) {
    writeProgram(
      join(home, dirname(shims ?? ''), 'bin', shim.manager),
      `#!/bin/bash\nexec ${real} "$@"\n`,
    )
    mkdirSync(dirname(named), { recursive: true })
    symlinkSync(shim.link, named)
  }
  const first = shims === undefined ? folder : join(home, shims)
  const path = [first, join(home, 'tools'), '/usr/bin', '/bin']
  return { home, real, path: path.join(':') }
}

type Denial = 'name' | 'version' | 'path'

function nameDenied(manager: VersionManager, { home }: { home: string }, by: Denial): string {
  if (by === 'path') return `${home}/${manager.versions}/*`
  if (by === 'name') return manager.otherName
  return manager.language === 'python' ? basename(PYTHON) : `${home}/${manager.versions}/1.2.3/*`
}

async function check(manager: VersionManager, home: ReturnType<typeof createHome>, denied: string) {
  const policy = `[deny]\nexecutables = ["${denied}"]`
  const { runtime, data } = await createPolicyRuntime(policy)
  const { language, executable } = manager
  const call = { cwd: data, env: { PATH: home.path, HOME: home.home } }
  return await runtime.checkPolicy(
    { kind: 'execute', language, executable, repository: 'app' },
    call,
  )
}

const rows = Object.keys(MANAGERS).flatMap((name) =>
  (['name', 'version', 'path'] as const).map((by): [string, Denial] => [name, by]),
)

describe('a rule against the program behind a shim', () => {
  it.each(rows)('of %s denies it by %s', async (name, by) => {
    const manager = MANAGERS[name] as VersionManager
    const home = createHome(manager)
    const checked = await check(manager, home, nameDenied(manager, home, by))
    const codes = checked.layers.flatMap(({ denials }) => denials.map(({ code }) => code))
    expect(codes).toEqual(['executable-not-allowed'])
  })

  it.each(Object.keys(MANAGERS))('of %s allows it without such a rule (control)', async (name) => {
    const manager = MANAGERS[name] as VersionManager
    const home = createHome(manager)
    const checked = await check(manager, home, 'another-program')
    expect(checked).toMatchObject({ allowed: true })
  })

  it('starts nothing of pyenv, however the program is asked for', async () => {
    const manager = MANAGERS['pyenv'] as VersionManager
    const home = createHome(manager)
    const policy = `[deny]\nexecutables = ["${home.home}/.pyenv/versions/*"]`
    const { execute } = await createPolicyRuntime(policy)
    const call = { env: { PATH: home.path, HOME: home.home } }
    const request = { runtime: 'python', code: 'print(1)' } as const
    for (const executable of ['python', join(home.home, '.pyenv/shims/python')]) {
      const answer = await execute({ ...request, executable }, call)
      expect([executable, answer.status]).toEqual([executable, 'denied'])
    }
  })
})
