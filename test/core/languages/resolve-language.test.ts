import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getLanguage } from '../../../src/core/languages/index.ts'
import type { Candidate, Language } from '../../../src/core/languages/language.ts'
import { ProgramAnswers } from '../../../src/core/languages/program-answers.ts'
import { resolveLanguage } from '../../../src/core/languages/resolve-language.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'

const SCRIPT = '#!/bin/sh\necho "tool 3.2.1"\n'

/** Creates a folder with programs that print a version. */
function createPrograms(...paths: string[]): string {
  const dir = realpathSync(createFolder(Object.fromEntries(paths.map((path) => [path, SCRIPT]))))
  for (const path of paths) chmodSync(join(dir, path), 0o755)
  return dir
}

function createCandidate(program: string, more: Partial<Candidate> = {}): Candidate {
  return { program, inline: () => ({ file: 'x', run: () => [] }), ...more }
}

function createLanguage(...candidates: Candidate[]): Language {
  const aliases = candidates.map(({ program }) => program)
  return { name: 'ruby', title: 'Tool', extensions: [], aliases, candidates, install: 'the tool' }
}

async function resolveIn(
  of: Language,
  { path, excluded = [], executable }: { path: string; excluded?: string[]; executable?: string },
) {
  return await resolveLanguage({
    language: of,
    executable,
    cwd: '/',
    env: { PATH: path, HOME: '/nonexistent' },
    excluded,
    python: undefined,
    answers: new ProgramAnswers(),
  })
}

describe('resolveLanguage() resolves', () => {
  it('the first candidate that is installed', async () => {
    const dir = createPrograms('bin/second')
    const found = await resolveIn(
      createLanguage(createCandidate('first'), createCandidate('second')),
      {
        path: `${dir}/bin`,
      },
    )
    expect(found).toMatchObject({ kind: 'resolved', candidate: { program: 'second' } })
  })

  it('the first candidate that is new enough', async () => {
    const dir = createPrograms('bin/old', 'bin/other')
    const found = await resolveIn(
      createLanguage(createCandidate('old', { minVersion: '4.0' }), createCandidate('other')),
      {
        path: `${dir}/bin`,
      },
    )
    expect(found).toMatchObject({ kind: 'resolved', candidate: { program: 'other' } })
  })

  it('the first candidate whose other programs are installed too', async () => {
    const dir = createPrograms('bin/compiler', 'bin/other')
    const needy = createCandidate('compiler', { needs: ['runner'] })
    const found = await resolveIn(createLanguage(needy, createCandidate('other')), {
      path: `${dir}/bin`,
    })
    expect(found).toMatchObject({ kind: 'resolved', candidate: { program: 'other' } })
  })

  it('programs in /usr unchanged, and others to a path that reveals nothing', async () => {
    const dir = createPrograms('tools/x/bin/tool')
    const usual = await resolveIn(getLanguage('perl'), { path: '/usr/bin' })
    expect(usual).toMatchObject({ kind: 'resolved' })
    const moved = await resolveIn(createLanguage(createCandidate('tool')), {
      path: `${dir}/tools/x/bin`,
    })
    if (moved.kind !== 'resolved') throw new Error(moved.sentence)
    const { inside, mounts } = moved.programs.get('tool') ?? { inside: '', mounts: [] }
    expect(inside).toMatch(/^\/toolchains\/[0-9a-f]{8}\/bin\/tool$/)
    expect(mounts).toEqual([{ source: `${dir}/tools/x`, target: inside.replace('/bin/tool', '') }])
  })

  it('an absolute path to one of the language’s programs', async () => {
    const dir = createPrograms('bin/tool')
    const executable = join(dir, 'bin/tool')
    const found = await resolveIn(createLanguage(createCandidate('tool')), {
      path: '/nonexistent',
      executable,
    })
    expect(found).toMatchObject({ kind: 'resolved' })
  })
})

describe('resolveLanguage() never starts', () => {
  it('programs in relative folders of PATH', async () => {
    const found = await resolveIn(createLanguage(createCandidate('sh')), { path: '.:bin::usr/bin' })
    expect(found).toMatchObject({ kind: 'missing', tried: ['sh'] })
  })

  it.each(['./node', 'bin/node', '..\\node', '../node'])(
    'the relative path %s',
    async (executable) => {
      const found = await resolveIn(getLanguage('node'), { path: '/usr/bin', executable })
      expect(found).toMatchObject({ kind: 'untrusted' })
    },
  )

  it('programs in a repository, by name, by path or by a link', async () => {
    const dir = createPrograms('repo/bin/tool', 'elsewhere/keep')
    symlinkSync(join(dir, 'repo/bin/tool'), join(dir, 'elsewhere/tool'))
    const repo = join(dir, 'repo')
    const language = createLanguage(createCandidate('tool'))
    for (const request of [
      { path: `${repo}/bin` },
      { path: '/usr/bin', executable: `${repo}/bin/tool` },
      { path: `${dir}/elsewhere` },
    ]) {
      const found = await resolveIn(language, { ...request, excluded: [repo] })
      expect(found.kind).not.toBe('resolved')
      expect('sentence' in found && found.sentence).toContain('belongs to a project folder')
      // Control: the same program is accepted if its folder is not a project.
      expect(await resolveIn(language, request)).toMatchObject({ kind: 'resolved' })
    }
  })

  it('programs in node_modules/.bin of a package', async () => {
    const dir = createPrograms('node_modules/.bin/tool')
    const found = await resolveIn(createLanguage(createCandidate('tool')), {
      path: `${dir}/node_modules/.bin`,
    })
    expect(found).toMatchObject({ kind: 'missing' })
  })

  it('programs that others can write to or replace', async () => {
    const dir = createPrograms('file/tool', 'folder/tool', 'above/bin/tool', 'fine/tool')
    chmodSync(join(dir, 'file/tool'), 0o777)
    chmodSync(join(dir, 'folder'), 0o777)
    chmodSync(join(dir, 'above'), 0o777)
    const language = createLanguage(createCandidate('tool'))
    for (const target of ['file', 'folder', 'above/bin']) {
      const found = await resolveIn(language, { path: join(dir, target) })
      expect('sentence' in found && found.sentence).toContain('Other users can write')
    }
    expect(await resolveIn(language, { path: join(dir, 'fine') })).toMatchObject({
      kind: 'resolved',
    })
  })

  it.skipIf(process.getuid?.() !== 0)('programs of another user (needs root)', async () => {
    const dir = createPrograms('bin/tool')
    chownSync(join(dir, 'bin/tool'), 12_345, 12_345)
    const found = await resolveIn(createLanguage(createCandidate('tool')), {
      path: join(dir, 'bin'),
    })
    expect('sentence' in found && found.sentence).toContain('belongs to another user')
  })

  it('programs behind a loop of links', async () => {
    const dir = realpathSync(createFolder())
    mkdirSync(join(dir, 'bin'))
    symlinkSync('tool', join(dir, 'bin/tool'))
    const found = await resolveIn(createLanguage(createCandidate('tool')), {
      path: join(dir, 'bin'),
    })
    expect(found).toMatchObject({ kind: 'missing' })
  })

  it('programs of another language', async () => {
    const found = await resolveIn(getLanguage('node'), { path: '/usr/bin', executable: 'python3' })
    expect(found).toMatchObject({ kind: 'mismatch' })
    expect('sentence' in found && found.sentence).toContain('is not compatible with runtime "node"')
  })

  it('a script in a folder with the caller’s files', async () => {
    const home = realpathSync(createFolder())
    writeTree(home, { 'bin/tool': SCRIPT })
    chmodSync(join(home, 'bin/tool'), 0o755)
    const found = await resolveLanguage({
      language: createLanguage(createCandidate('tool')),
      cwd: '/',
      env: { PATH: join(home, 'bin'), HOME: home },
      excluded: [],
      python: undefined,
      answers: new ProgramAnswers(),
    })
    expect(found).toMatchObject({ kind: 'missing' })
    expect('sentence' in found && found.sentence).toContain('contains other files')
  })
})

describe('resolveLanguage() reports', () => {
  it('what to install if no candidate is found', async () => {
    const found = await resolveIn(getLanguage('elixir'), { path: '/nonexistent' })
    expect(found).toMatchObject({ kind: 'missing', tried: ['elixir'] })
    expect('sentence' in found && found.sentence).toBe(
      'Elixir is not installed (looked for elixir): install Elixir (package "elixir")',
    )
  })

  it('that a requested program is not installed', async () => {
    const request = { path: '/usr/bin', executable: 'cmd' }
    expect(await resolveIn(getLanguage('shell'), request)).toMatchObject({ kind: 'missing' })
  })
})
