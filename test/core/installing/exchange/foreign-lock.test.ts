import { describe, expect, it } from 'vitest'
import { parseForeignLock } from '../../../../src/core/installing/exchange/foreign-lock.ts'

const HASH = 'a'.repeat(64)
const ENTRY = {
  source: 'owner/repo',
  sourceType: 'github',
  skillPath: 'skills/greet/SKILL.md',
  computedHash: HASH,
}
const format = (skills: unknown, version: unknown = 1) => JSON.stringify({ version, skills })
const parse = (text: string) => parseForeignLock(text, 'skills-lock.json')

describe('the lock of another tool', () => {
  it('is read in both versions, sorted, and with keys that are not known', () => {
    const lock = parse(format({ b: { ...ENTRY, via: 'x', subagents: ['a'] }, a: ENTRY }))
    expect(lock.format).toBe('skills-lock')
    expect(lock.entries.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(lock.entries[0]).toMatchObject({ source: 'owner/repo', hash: HASH, ref: undefined })
    const user = parse(
      format({ a: { ...ENTRY, skillFolderHash: '', pinnedRef: 'v1.0.0', installedAt: 'x' } }, 3),
    )
    expect(user.format).toBe('skill-lock')
    expect(user.entries[0]).toMatchObject({ hash: undefined, ref: 'v1.0.0' })
  })

  it('reads the base of a site, not the address of its archive', () => {
    const site = {
      source: 'wellknown/example.com',
      sourceType: 'well-known',
      sourceUrl: 'https://example.com/skills/greet.tar.gz',
      sourceBaseUrl: 'https://example.com',
      skillFolderHash: '',
    }
    expect(parse(format({ greet: site }, 3)).entries[0]?.sourceUrl).toBe('https://example.com')
  })

  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`s${at}`, ENTRY]))
  it.each([
    ['another version', format({}, 2), 'version is 2, expected 1 or 3'],
    ['no version', JSON.stringify({ skills: {} }), 'version is missing'],
    ['a list of skills', format([ENTRY]), 'skills is ['],
    ['an entry that is a text', format({ a: 'owner/repo' }), 'expected an object'],
    ['no source', format({ a: { ...ENTRY, source: '' } }), 'skills.a.source'],
    ['a source that is a number', format({ a: { ...ENTRY, source: 1 } }), 'skills.a.source is 1'],
    ['no type', format({ a: { ...ENTRY, sourceType: undefined } }), 'skills.a.sourceType'],
    ['a wrong hash', format({ a: { ...ENTRY, computedHash: 'abc' } }), 'skills.a.computedHash'],
    ['a long text', format({ a: { ...ENTRY, ref: 'x'.repeat(2001) } }), 'at most 2000 characters'],
    ['an empty name', format({ '': ENTRY }), 'a name of 1 to 255 characters'],
    ['a long name', format({ ['x'.repeat(256)]: ENTRY }), 'a name of 1 to 255 characters'],
    ['1001 skills', format(many), 'more than 1000 members'],
    ['deep nesting', format({ a: JSON.parse('['.repeat(300) + ']'.repeat(300)) }), 'too deeply'],
    ['a key that is there twice', '{"version":1,"version":1,"skills":{}}', 'there twice'],
    ['no JSON', '{', 'it is not JSON'],
    [
      'two references',
      format({ a: { ...ENTRY, ref: 'a', pinnedRef: 'b' } }),
      'the same as its ref',
    ],
    ['a conflict', `{\n<<<<<<< HEAD\n"version":1`, 'line 2 is a conflict marker of git'],
    ['a base of a conflict', `{\n||||||| 1234\n`, 'line 2 is a conflict marker of git'],
  ])('with %s is refused', (_, text, problem) => {
    expect(() => parse(text)).toThrow(problem)
  })

  it('cannot control the terminal by the name of an entry', () => {
    const text = format({ 'a\u001b[2Jb': { ...ENTRY, source: 1 } })
    expect(() => parse(text)).toThrow(String.raw`a\u001b[2Jb`)
  })
})
