import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCassettes } from '../../../src/core/testing/cassettes/find-cassette.ts'
import { writeCassette } from '../../../src/testing/network/write-cassette.ts'
import { parseSuite } from '../../../src/core/testing/suites/parse-suite.ts'
import { createFolder } from '../../helpers/skills.ts'

const SUITE = '[[cases]]\nname = "a"\nexpect = [{ status = "completed" }]\n'
const EXCHANGE = {
  request: { method: 'GET', url: 'https://api.test/', headers: [], body: Buffer.alloc(0) },
  response: { status: 200, headers: [], body: Buffer.from('ok') },
  times: 1,
} as const

/** A skill of a stranger with a link at a path to a target. */
function createSkill(text: string, path: string, target: string): string {
  const skill = createFolder({ 'SKILL.md': '', 'tests/greet.test.toml': text })
  mkdirSync(dirname(join(skill, path)), { recursive: true })
  symlinkSync(target, join(skill, path))
  return join(skill, 'tests/greet.test.toml')
}

/** Records the cassettes of a suite; returns the problems that prevent it. */
function record(file: string): string[] {
  const { suite, problems } = parseSuite(file, readFileSync(file, 'utf8'))
  if (!suite) throw new Error(JSON.stringify(problems))
  const found = findCassettes(suite, true)
  for (const each of found.cassettes.values()) {
    writeCassette({
      file: each.file,
      recorded: undefined,
      expires: undefined,
      comparedHeaders: [],
      isOrdered: false,
      exchanges: [EXCHANGE],
    })
  }
  return found.problems.map(({ message }) => message)
}

describe('a link out of a skill', () => {
  it('lets no recording replace files of the user', () => {
    const home = createFolder({ 'documents/thesis.txt': 'mine' })
    const attack = `${SUITE}cassette = "sub/documents.toml"\n`
    const file = createSkill(attack, 'tests/sub', home)
    expect(record(file)).toEqual([expect.stringContaining('leads out of the skill')])
    expect(readFileSync(join(home, 'documents/thesis.txt'), 'utf8')).toBe('mine')
    expect(existsSync(join(home, 'documents.toml'))).toBe(false)
    // Control: the recording of a folder of the skill does replace what was there.
    const own = createFolder({
      'tests/greet.test.toml': attack,
      'tests/sub/documents/thesis.txt': 'old',
    })
    expect(record(join(own, 'tests/greet.test.toml'))).toEqual([])
    expect(existsSync(join(own, 'tests/sub/documents/thesis.txt'))).toBe(false)
    expect(existsSync(join(own, 'tests/sub/documents.toml'))).toBe(true)
  })

  it.each([
    ['tests/greet', '.'],
    ['tests/greet/a.in', '.'],
    ['tests/greet/a.stdin', 'a.stdin'],
    ['tests/greet/a.code.py', 'a.stdin'],
  ])('at %s gives no file of the user to a case', (path, target) => {
    const home = createFolder({ 'a.stdin': 'private key' })
    const file = createSkill(SUITE, path, join(home, target))
    const { suite, problems } = parseSuite(file, SUITE)
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('leads out of the skill'),
    ])
    expect(suite).toBeUndefined()
  })

  it('differs from a link within the skill, which is followed', () => {
    const file = createSkill(SUITE, 'tests/greet/a.in', '..')
    const { suite } = parseSuite(file, SUITE)
    expect([...(suite?.cases[0]?.files.keys() ?? [])]).toEqual(['greet.test.toml'])
  })
})
