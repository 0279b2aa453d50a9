import { describe, expect, it } from 'vitest'
import { findNameProblem, splitNamePath, suggestName } from '../../../../src/core/skills/scaffold/skill-name.ts'

describe('suggestName()', () => {
  it.each([
    ['Démo.été', 'demo.ete'],
    ['De\u0301mo.e\u0301te\u0301', 'demo.ete'],
    ['Straße.Øl', 'strasse.ol'],
    ['ﬁle.tool', 'file.tool'],
    ['My Skill', 'my-skill'],
    ['demo..greet', 'demo.greet'],
    ['team:notes', 'team-notes'],
    ['技能', undefined],
    ['demo.greet', undefined],
  ])('turns %s into %s', (typed, better) => {
    expect(suggestName(typed)).toBe(better)
  })
})

describe('splitNamePath()', () => {
  it.each([
    ['../x', { name: 'x', dir: '..' }],
    ['skills/demo.greet/', { name: 'demo.greet', dir: 'skills' }],
    ['/tmp/Été', { name: 'ete', dir: '/tmp' }],
    ['a\\b', { name: 'b', dir: 'a' }],
    ['../..', undefined],
    ['x', undefined],
  ])('finds the name in %s', (typed, split) => {
    expect(splitNamePath(typed)).toEqual(split)
  })

  it('returns undefined for paths without a valid name', () => {
    expect(findNameProblem('../x')).toBe(
      '"../x" is a path; expected a name such as "demo.greet", the folder comes with --dir',
    )
  })
})
