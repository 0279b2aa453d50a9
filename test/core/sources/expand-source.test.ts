import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expandSource } from '../../../src/core/sources/expand-source.ts'
import { createFolder } from '../../helpers/skills.ts'

const GITHUB = 'https://github.com/owner/repo'

describe('a typed source', () => {
  it.each([
    ['owner/repo', 'github:owner/repo'],
    ['owner/repo/', 'github:owner/repo'],
    ['owner/repo.js/skills/greet@v1.0', 'github:owner/repo.js/skills/greet@v1.0'],
    ['owner/repo@feature/x', 'github:owner/repo@feature/x'],
    [GITHUB, 'github:owner/repo'],
    [`${GITHUB}/`, 'github:owner/repo'],
    [`${GITHUB}.git`, 'github:owner/repo'],
    [`${GITHUB}?tab=readme-ov-file`, 'github:owner/repo'],
    ['https://www.GitHub.com/owner/repo', 'github:owner/repo'],
    [`${GITHUB}/tree/v1`, 'github:owner/repo@v1'],
    [`${GITHUB}/tree/main/skills/greet/`, 'github:owner/repo/skills/greet@main'],
    [`${GITHUB}/blob/main/SKILL.md`, 'github:owner/repo@main'],
    [`${GITHUB}/blob/main/a/SKILL.md?plain=1`, 'github:owner/repo/a@main'],
    [`${GITHUB}/tree/main/a%40b`, `git+${GITHUB}.git#main:a@b`],
  ])('%s becomes %s', (text, source) => {
    expect(expandSource(text, createFolder())).toBe(source)
  })

  it.each([
    'greet',
    './owner/repo',
    '../owner/repo',
    '/owner/repo',
    'owner/',
    'dist/greet.tar.gz',
    '@scope/name',
    'github:owner/repo',
    'npm:@scope/name',
    `${GITHUB}/releases/download/v1/greet.tar.gz`,
    'https://user@github.com/owner/repo',
    'https://github.com.example.com/owner/repo',
    'https://example.com/owner/repo',
  ])('%s stays', (text) => {
    expect(expandSource(text, createFolder())).toBe(text)
  })

  it('names of existing folders and files stay, and a SKILL.md is its folder', () => {
    const cwd = createFolder({ 'owner/repo/SKILL.md': '' })
    expect(expandSource('owner/repo', cwd)).toBe('owner/repo')
    expect(expandSource('owner/repo/SKILL.md', cwd)).toBe(join(cwd, 'owner/repo'))
  })

  it('a mistyped path of a folder here is no repository', () => {
    const cwd = createFolder({ 'skills/greet/SKILL.md': '' })
    expect(expandSource('skills/gret', cwd)).toBe('skills/gret')
    expect(expandSource('skills/gret', createFolder())).toBe('github:skills/gret')
  })

  it('file URLs are paths', () => {
    expect(expandSource('file:///srv/a%20b', '/')).toBe('/srv/a b')
  })

  it.each([
    ['file:greet', 'file:///'],
    ['file://host/greet', 'file:///'],
    ['file:///greet#x', 'file:///'],
    ['file:///a%2Fb', 'cannot be read'],
    [`${GITHUB}/tree/main/a%2F..%2Fb`, 'cannot be written as a source'],
    [`${GITHUB}/tree/--upload-pack/a`, 'cannot be written as a source'],
    [`${GITHUB}/blob/main/README.md`, 'not a SKILL.md'],
    [`${GITHUB}#sha256=${'0'.repeat(64)}`, 'has no "#"'],
  ])('%s is refused', (text, problem) => {
    expect(() => expandSource(text, '/')).toThrow(problem)
  })
})
