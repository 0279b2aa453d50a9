import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findHiddenFolders } from '../../../src/core/languages/packages/package-folders.ts'
import type { SandboxGuest } from '../../../src/core/sandbox/backend.ts'
import { describePackages, showOwnFolder } from '../../../src/core/runs/host-packages.ts'
import { createFolder } from '../../helpers/skills.ts'

const HERE = { source: '/nowhere', target: '/tool' }

/** A function that this program calls. */
function createFunction(program: string[]): SandboxGuest {
  return { kind: 'function', job: { program } }
}

it('folders of packages are found in every usual place of an installation', () => {
  const source = createFolder({
    'lib/python3.12/site-packages/a.py': '',
    'lib/python3.12/json/x.py': '',
    'lib/python3/dist-packages/a.py': '',
    'lib64/python3.12/site-packages/a.py': '',
    'local/lib/python3.12/dist-packages/a.py': '',
    'lib/pypy3.10/site-packages/a.py': '',
    'lib/node_modules/left-pad/index.js': '',
    'lib/node_modules/npm/index.js': '',
    'share/nodejs/x.js': '',
    'lib/x86_64-linux-gnu/nodejs/x.js': '',
    'conda-meta/history': '',
    'pkgs/a.py': '',
  })
  const found = findHiddenFolders([{ source, target: '/tool' }])
  expect(found.map(({ target }) => target).sort()).toEqual([
    '/tool/lib/node_modules',
    '/tool/lib/pypy3.10/site-packages',
    '/tool/lib/python3.12/site-packages',
    '/tool/lib/python3/dist-packages',
    '/tool/lib/x86_64-linux-gnu/nodejs',
    '/tool/lib64/python3.12/site-packages',
    '/tool/local/lib/python3.12/dist-packages',
    '/tool/pkgs',
    '/tool/share/nodejs',
  ])
  expect(found.find(({ target }) => target === '/tool/lib/node_modules')?.kept).toEqual([
    { source: join(source, 'lib/node_modules/npm'), target: '/tool/lib/node_modules/npm' },
  ])
})

it('a link to packages outside of the installation is not mounted and needs no cover', () => {
  const source = createFolder({ 'lib/python3.12/x': '' })
  symlinkSync(createFolder(), join(source, 'lib/python3.12/site-packages'))
  expect(findHiddenFolders([HERE, { source, target: '/tool' }])).toEqual([])
})

it('Node finds packages of this machine by name only if they are allowed', () => {
  const source = createFolder({
    'lib/node_modules/left-pad/index.js': '',
    'lib/node_modules/@a/b/index.js': '',
    'lib/node_modules/npm/index.js': '',
  })
  const guest = {
    guest: createFunction(['/tool/bin/node', 'x.mjs']),
    tools: [{ source, target: '/tool' }],
  }
  const shown = describePackages(guest, true).nodePackages
  expect(shown).toContainEqual({ name: 'left-pad', target: '/tool/lib/node_modules/left-pad' })
  expect(shown).toContainEqual({ name: '@a/b', target: '/tool/lib/node_modules/@a/b' })
  expect(shown?.map(({ name }) => name)).not.toContain('npm')
  expect(describePackages({ ...guest, guest: createFunction(['/usr/bin/bash']) }, true)).toEqual({
    hostPackages: true,
    nodePackages: [],
  })
  const hidden = describePackages(guest, false)
  expect(hidden.nodePackages).toBeUndefined()
  expect(hidden.hidden?.map(({ target }) => target)).toEqual(['/tool/lib/node_modules'])
})

it('a program that is itself a package keeps the folder that contains it', () => {
  const hidden = ['/usr/lib/node_modules', '/usr/lib/python3/dist-packages'].map((target) => ({
    target,
    kept: [],
  }))
  const interpreter = {
    executable: '/usr/bin/python3',
    version: '3.12.0',
    mounts: [],
    packages: [],
    hidden,
    libraries: undefined,
    compiled: new Map(),
  }
  const guest = { guest: createFunction(['/usr/lib/node_modules/tsx/cli.mjs']), tools: [] }
  expect(showOwnFolder(interpreter, guest).hidden).toEqual([hidden[1]])
  expect(showOwnFolder(interpreter, { ...guest, guest: createFunction([]) })).toBe(interpreter)
})
