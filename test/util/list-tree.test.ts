import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listTree, listTreeAsync, listTreeFiles } from '../../src/util/list-tree.ts'
import { createFolder } from '../helpers/skills.ts'

describe('the list of a tree', () => {
  it('leads neither out of the folder nor in a circle', async () => {
    const home = createFolder({ 'private.txt': 'of the user' })
    const folder = createFolder({ 'a/b/own.txt': '', 'top.txt': '' })
    symlinkSync(home, join(folder, 'a/out'))
    symlinkSync('..', join(folder, 'a/circle'))
    expect(listTreeFiles(folder)).toEqual(['a/b/own.txt', 'top.txt'])
    const names = ['a', 'b', 'circle', 'out', 'own.txt', 'top.txt']
    expect(
      listTree(folder)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names)
    expect((await listTreeAsync(folder)).map(({ name }) => name).sort()).toEqual(names)
    // Control: the option of Node leads to both.
    const followed = readdirSync(folder, { recursive: true })
    expect(followed).toContain('a/out/private.txt')
    expect(followed).toContain('a/circle/a/circle')
  })

  it('is the only one in src: nothing else lists recursively', () => {
    const src = join(import.meta.dirname, '../../src')
    const files = listTreeFiles(src).filter((path) => /\.(ts|mjs|js)$/.test(path))
    expect(files.length).toBeGreaterThan(1000)
    expect(files.filter((path) => listsRecursively(join(src, path)))).toEqual([
      // Runs in the sandbox.
      'guest/javascript/runtime/syntax-check.mjs',
    ])
  })
})

function listsRecursively(file: string): boolean {
  return /readdir(?:Sync)?\([^;\n]*recursive: true/.test(readFileSync(file, 'utf8'))
}
