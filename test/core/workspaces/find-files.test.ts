import { describe, expect, it } from 'vitest'
import { findFiles } from '../../../src/core/workspaces/files/find-files.ts'
import { createNameMatcher } from '../../../src/core/workspaces/files/match-name.ts'
import { WorkspaceTree } from '../../../src/core/workspaces/files/workspace-tree.ts'
import { createFolder } from '../../helpers/skills.ts'

const createTree = (files: Record<string, string>) =>
  new WorkspaceTree({ root: createFolder(files), mounts: new Map(), user: undefined })
const createBudget = () => ({ left: 100_000 })

describe('a file name pattern', () => {
  it.each([
    ['*.txt', ['a.txt', '.txt'], ['a.txt2', 'atxt']],
    ['a?c', ['abc', 'a🎉c'], ['ac', 'abbc']],
    ['[a-c]*[!0-9]', ['ax', 'c_'], ['dx', 'a1', 'a']],
    ['[]x]', [']', 'x'], ['a']],
    ['[x', ['[x'], ['x']],
    ['**', ['', 'anything'], []],
    ['a*b*c', ['abc', 'aXbXbc'], ['acb', 'ab']],
    ['(a|b)+.$^', ['(a|b)+.$^'], ['ab']],
  ])('%s matches like in a shell', (pattern, good, bad) => {
    const matches = createNameMatcher(pattern)
    expect(good.filter((name) => !matches(name))).toEqual([])
    expect(bad.filter(matches)).toEqual([])
  })

  it('matches in a time that does not grow with the number of stars', () => {
    expect(createNameMatcher(`${'*a'.repeat(60)}b`)('a'.repeat(250))).toBe(false)
  })
})

describe('matching files', () => {
  it('are found by alternatives, and in any number of folders', () => {
    const tree = createTree({ 'a/x.txt': '', 'a/b/x.csv': '', 'a/b/c/x.txt': '' })
    expect(findFiles(tree, ['a/**/**/*.{txt,csv}'], createBudget())).toEqual([
      'a/x.txt',
      'a/b/c/x.txt',
      'a/b/x.csv',
    ])
    expect(findFiles(tree, ['{a,b}/{x,y}.{txt,md}', 'a/x.txt'], createBudget())).toEqual([
      'a/x.txt',
    ])
  })

  it('are searched within a budget, for any patterns', () => {
    const tree = createTree({ 'a/x': '' })
    const left = createBudget()
    expect(findFiles(tree, ['{a,b}'.repeat(60)], left)).toEqual([])
    expect(left.left).toBeLessThanOrEqual(0)
    findFiles(
      tree,
      Array.from({ length: 50_000 }, () => 'a/y'),
      createBudget(),
    )
  })
})
