// @module-tag slow
import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toSkillsError } from '../../../src/errors.ts'
import { createUser } from '../../helpers/user-machine.ts'

const TIMEOUT_MS = 120_000
const SECRET = 'private-value-of-the-user'

async function catchMessage(work: Promise<unknown>): Promise<string> {
  return toSkillsError(
    await work.then(
      () => 'no error',
      (thrown: unknown) => thrown,
    ),
  ).message
}

/** Files with credentials, and the folder that a user could mount with one of them in it. */
const CREDENTIALS: readonly (readonly [file: string, folder: string])[] = [
  ['.m2/settings.xml', '.m2'],
  ['.m2/settings-security.xml', '.m2'],
  ['.cargo/credentials', '.cargo'],
  ['.cargo/credentials.toml', '.cargo'],
  ['.cargo/config.toml', '.cargo'],
  ['.gradle/gradle.properties', '.gradle'],
  ['tools/.npmrc', 'tools'],
  ['tools/etc/npmrc', 'tools'],
  ['tools/.netrc', 'tools'],
  ['tools/.condarc', 'tools'],
  ['.conda/.condarc', '.conda'],
  ['tools/pip.conf', 'tools'],
  ['tools/.ssh/id_ed25519', 'tools'],
  ['.npm/_logs/debug.log', '.npm'],
]

describe('credentials in a mounted folder are covered', { timeout: TIMEOUT_MS }, () => {
  it('whatever their place', async () => {
    const folders = [...new Set(CREDENTIALS.map(([, folder]) => folder))]
    const files = Object.fromEntries(CREDENTIALS.map(([file]) => [file, SECRET]))
    const { home, shell } = await createUser(
      { ...files, ...Object.fromEntries(folders.map((each) => [`${each}/public`, 'can be read'])) },
      { settings: folders.map((each) => `[[caches]]\npath = "HOME_DIR/${each}"\n`).join('') },
    )
    const code = folders.map((each) => `cat ${home}/${each}/public`).join('; ')
    // Control: the folders are mounted, so that only the covers keep the credentials.
    expect(await shell(code)).toBe('can be read'.repeat(folders.length))
    expect(await shell(`grep -rl ${SECRET} ${home}; echo searched`)).toBe('searched\n')
    const reading = CREDENTIALS.map(([file]) => `cat ${home}/${file}`).join('; ')
    expect(await shell(reading)).not.toContain(SECRET)
  })

  it('also near the top of a toolchain in another mounted folder', { tags: ['slow'] }, async () => {
    const shim =
      '#!/usr/bin/env bash\nexport PYENV_ROOT="HOME_DIR/.pyenv"\nexec "HOME_DIR/.pyenv/libexec/pyenv" exec "$0"\n'
    const { home, shell } = await createUser(
      {
        '.pyenv/shims/pytool': shim,
        '.pyenv/libexec/pyenv': '#!/bin/sh\n',
        '.pyenv/versions/3.99.1/pip.conf': SECRET,
        '.pyenv/versions/3.99.1/public': 'can be read',
        'tools/a/node/bin/node': '#!/bin/sh\n',
        'tools/a/node/lib/x': 'x',
        'tools/a/node/etc/npmrc': SECRET,
        'tools/a/node/public': ' twice',
      },
      { settings: '[[toolchains]]\npath = "HOME_DIR/tools"\n' },
    )
    const folders = ['.pyenv/shims', 'tools/a/node/bin']
    const [python, node] = [`${home}/.pyenv/versions/3.99.1`, `${home}/tools/a/node`]
    // Control: the folders are mounted.
    expect(await shell(`cat ${python}/public ${node}/public`, { folders })).toBe(
      'can be read twice',
    )
    expect(await shell(`cat ${python}/pip.conf ${node}/etc/npmrc`, { folders })).toBe('')
  })

  it('as the target of a link in the folder', { tags: ['slow'] }, async () => {
    const { home, shell } = await createUser(
      { 'tools/private/value': SECRET, 'tools/public': 'can be read' },
      {
        settings: '[[caches]]\npath = "HOME_DIR/tools"\n',
        links: { 'tools/.npmrc': 'private/value' },
      },
    )
    const output = await shell(
      `cat ${home}/tools/public ${home}/tools/.npmrc ${home}/tools/private/value`,
    )
    expect(output).toBe('can be read')
  })
})

describe('credentials are not in a run by default', { timeout: TIMEOUT_MS }, () => {
  const secrets = [
    '.m2/settings.xml',
    '.npmrc',
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.config/pip/pip.conf',
    '.netrc',
    '.condarc',
    '.ssh/id_rsa',
  ]

  it('although the caches next to them are', async () => {
    const { home, shell } = await createUser({
      ...Object.fromEntries(secrets.map((file) => [file, SECRET])),
      '.m2/repository/x': 'x',
      '.cargo/registry/x': 'x',
      '.cargo/bin/tool': '#!/bin/sh\necho started\n',
      '.npm/_cacache/x': 'x',
      '.cache/pip/http-v2/x': 'x',
      '.local/bin/tool': '#!/bin/sh\n',
    })
    const folders = ['.cargo/bin', '.local/bin']
    const reading = secrets.map((file) => `cat ${home}/${file}`).join('; ')
    const code = `tool; ls ${home}/.m2/repository; ${reading}; grep -rl ${SECRET} ${home}; echo searched`
    const output = await shell(code, { folders })
    expect(output).toContain('started\nx\n')
    expect(output).toContain('searched')
    expect(output).not.toContain(SECRET)
    for (const file of secrets) expect(output).toContain(`${file}: No such file`)
  })
})

describe('a run does not see', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['the home folder', '.', 'contains other files of its user'],
    ['a folder with settings', '.config/tool', 'is a place for credentials'],
    ['a folder of keys', '.ssh', 'is a place for credentials'],
    ['a folder that others can write to', 'open/tool', 'Other users can write to'],
    ['a repository', 'api', 'belongs to a project folder'],
  ])('%s, although the user configured it', async (_, folder, reason) => {
    const { home, shell } = await createUser(
      { '.config/tool/x': SECRET, '.ssh/x': SECRET, 'open/tool/x': 'x' },
      { settings: `[[caches]]\npath = "HOME_DIR/${folder}"\n` },
    )
    chmodSync(join(home, 'open'), 0o777)
    const message = await catchMessage(shell(':'))
    expect(message).toContain(reason)
    expect(message).toMatch(/config\.toml:1: This cache is not mounted/)
  })

  it(
    'folders of PATH that others can write to, or that are the home',
    { tags: ['slow'] },
    async () => {
      const { home, shell } = await createUser({
        'open/bin/tool': '#!/bin/sh\necho started\n',
        'own/bin/tool': '#!/bin/sh\necho started\n',
        secret: SECRET,
      })
      const folders = ['open/bin', '.']
      chmodSync(join(home, 'open/bin'), 0o777)
      expect(await shell(`tool; cat ${home}/secret`, { folders })).not.toMatch(/^started|private/)
      expect(await shell('tool', { folders: [...folders, 'own/bin'] })).toBe('started\n')
      // Control: the folder is used while only its user can write to it.
      chmodSync(join(home, 'open/bin'), 0o755)
      expect(await shell('tool', { folders })).toBe('started\n')
    },
  )

  it.skipIf(process.getuid?.() !== 0)('caches of another user (needs root)', async () => {
    const { home, shell } = await createUser({ '.m2/repository/x': 'planted' })
    const code = `cat ${home}/.m2/repository/x`
    expect(await shell(code)).toBe('planted')
    chownSync(join(home, '.m2/repository'), 12_345, 12_345)
    expect(await shell(code)).not.toContain('planted')
  })
})

/** A Python installation that is a copy of the files which mark one. */
function createPython(folder: string): Record<string, string> {
  return {
    [`${folder}/bin/python3.99`]: '#!/bin/sh\necho "python of $0"\n',
    [`${folder}/lib/python3.99/os.py`]: 'x',
  }
}

describe('the links of a repository’s .venv', { timeout: TIMEOUT_MS }, () => {
  const config = 'home = /x/bin\n'

  it('lead to an interpreter of the user', { tags: ['slow'] }, async () => {
    const { home, shell } = await createUser(
      { ...createPython('.pyenv/versions/3.99.1'), 'api/.venv/pyvenv.cfg': config },
      {
        links: {
          'api/.venv/bin/python': 'python3',
          'api/.venv/bin/python3': 'HOME_DIR/.pyenv/versions/3.99.1/bin/python3.99',
        },
      },
    )
    expect(await shell('.venv/bin/python')).toBe('python of .venv/bin/python\n')
    // Scripts of an environment begin with its path on the host.
    expect(await shell(`${home}/api/.venv/bin/python`)).toContain('python of')
  })

  it.each([
    ['a file of the user', '.ssh/id_rsa', '.ssh'],
    ['a folder that only looks like Python', 'work/bin/python3.99', 'work'],
    ['another project', 'other/.venv/bin/python3.99', 'other'],
  ])('expose nothing if they lead to %s', { tags: ['slow'] }, async (_, target, folder) => {
    const { home, shell } = await createUser(
      {
        ...createPython('work'),
        ...createPython('other/.venv'),
        '.ssh/id_rsa': SECRET,
        [`${folder}/notes`]: SECRET,
        'api/.venv/pyvenv.cfg': `home = HOME_DIR/${folder}/bin\n`,
      },
      { links: { 'api/.venv/bin/python': `HOME_DIR/${target}` } },
    )
    const code = `cat ${home}/${folder}/notes ${home}/${target} .venv/bin/python; ls ${home}`
    const output = await shell(code)
    expect(output).not.toContain(SECRET)
    expect(output).not.toContain('python of')
    // Control: a folder of the user's own configuration is mounted.
    if (folder !== 'work') return
    const allowed = await createUser(
      {
        ...createPython('work'),
        'api/.venv/pyvenv.cfg': config,
      },
      {
        settings: '[[toolchains]]\npath = "HOME_DIR/work"\n',
        links: { 'api/.venv/bin/python': 'HOME_DIR/work/bin/python3.99' },
      },
    )
    expect(await allowed.shell('.venv/bin/python')).toContain('python of')
  })

  it(
    'expose no folder of the user by which they lead to an interpreter',
    { tags: ['slow'] },
    async () => {
      const { home, shell } = await createUser(
        {
          ...createPython('.pyenv/versions/3.99.1'),
          'secret-project/pyvenv.cfg': config,
          'secret-project/value': SECRET,
          'api/.venv/pyvenv.cfg': config,
        },
        {
          links: {
            // An environment in the folder of a project itself.
            'secret-project/bin/python': 'HOME_DIR/.pyenv/versions/3.99.1/bin/python3.99',
            'api/.venv/bin/python': 'HOME_DIR/secret-project/bin/python',
            'api/.venv/bin/python3': 'HOME_DIR/.pyenv/versions/3.99.1/bin/python3.99',
          },
        },
      )
      // Control: a direct link to the interpreter works.
      expect(await shell('.venv/bin/python3')).toContain('python of')
      expect(await shell(`cat ${home}/secret-project/value`)).not.toContain(SECRET)
    },
  )

  it('do not make the environment itself a link to a folder of the user', async () => {
    const { home, shell } = await createUser({
      'private/pyvenv.cfg': config,
      'private/value': SECRET,
    })
    symlinkSync(join(home, 'private'), join(home, 'api/.venv'))
    mkdirSync(join(home, 'private/bin'))
    expect(
      await shell(`cat .venv/value ${home}/private/value ${home}/api/.venv/value`),
    ).not.toContain(SECRET)
  })
})
