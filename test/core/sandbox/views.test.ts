import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listReachableFolders, listViewedFolders } from '../../../src/core/sandbox/rootfs/views.ts'
import { createFolder } from '../../helpers/skills.ts'

describe('the folders of a mount plan', () => {
  function createPaths() {
    const dir = createFolder({ 'copies/etc/hosts': '', 'repo/out/a': '', 'tool/bin/a': '' })
    const path = (name: string) => join(dir, name)
    const bind = (source: string, target: string, writable = false) =>
      ({ kind: 'bind', source: path(source), target, writable }) as const
    return { path, bind }
  }

  it('get one view each, and one for all copies', () => {
    const { path, bind } = createPaths()
    const mounts = [
      bind('copies/etc', '/etc'),
      bind('repo', '/repo'),
      bind('repo/out', '/out'),
      bind('tool', '/tool'),
      bind('tool/bin/a', '/a'),
    ]
    expect(listViewedFolders(mounts, path('copies'))).toEqual(['copies', 'repo', 'tool'].map(path))
  })

  it('are reported if they are writable or have no view, except for copies', () => {
    const { path, bind } = createPaths()
    const mounts = [
      bind('copies/etc', '/etc'),
      bind('repo', '/repo'),
      bind('repo/out', '/repo/out', true),
      bind('tool', '/tool'),
      bind('tool/bin', '/tool/bin'),
      bind('tool/bin/a', '/a'),
    ]
    const copies = [path('copies')]
    expect(listReachableFolders(mounts, { views: ['/repo'] }, copies)).toEqual([
      '/repo/out',
      '/tool',
    ])
    expect(listReachableFolders(mounts, {}, copies)).toEqual(['/repo', '/tool'])
  })
})
