// @module-tag slow
// @module-tag nightly
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSnippets, ROOT } from '../../docs/documents.ts'
import { copyClone } from '../../helpers/copy-clone.ts'
import { buildRoot, findObstacle, runInRoot, type RootMount } from './minimal-root.ts'

const obstacle = findObstacle()
const suffix = obstacle === undefined ? '' : ` (not run: ${obstacle})`
const PATIENCE_MS = 900_000

/** The set-up and the tours, as their readers type them. */
const [setUp = ''] = listCode('README.md', 'sh')
const tour = listCode('README.md', 'console').filter((code) => code.includes('skills new'))
const quickstart = listCode('docs/quickstart.md', 'console')

/** An own skill: described, changed, checked, run. */
const OWN_SKILL = `
skills init
skills new acme.total --description "Adds up numbers. Use it for totals." --input values:array --result total:number --yes
sed -i 's/"total": 0.0/"total": sum(args["values"])/' skills/total/code/main.py
skills lint
skills exec acme.total --arg 'values=[1, 2, 39]'
`

function listCode(document: string, language: string): string[] {
  return listSnippets(document).flatMap((each) => (each.language === language ? [each.code] : []))
}

/** Commands of console blocks, without what they print. */
function listCommands(blocks: readonly string[]): string[] {
  return blocks.flatMap((code) => [...code.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line))
}

/**
 * The first line of the set-up, for a root without network: the packages are a copy of this clone's,
 * so \`npm ci\` is only its last step, which builds the project. The tests are not run there.
 */
function prepareSetUp(): string[] {
  return setUp
    .split('\n')
    .filter((line) => !line.startsWith('npm test'))
    .map((line) => line.replace('npm ci', 'npm run prepare'))
}

/** A script that reports the first command that fails. A finding of lint is not a failure. */
function createScript(lines: readonly string[]): string {
  const steps = lines.map((line) => {
    const quoted = `'${line.replaceAll("'", String.raw`'\''`)}'`
    return `printf '$ %s\\n' ${quoted}\neval ${quoted} || report $? ${quoted}`
  })
  const report = [
    'report() {',
    '  [[ $1 == 1 && $2 == "skills lint "* ]] && return',
    '  printf "FAILED with %s: %s\\n" "$1" "$2"; exit 9',
    '}',
  ]
  return [...report, ...steps].join('\n')
}

describe.skipIf(obstacle !== undefined)(`a machine with Node and Python only${suffix}`, () => {
  let root = ''
  let mounts: RootMount[] = []
  const homes = { '/root': 0, '/home/ada': 1000 } as const

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'skills-newcomer-'))
    mounts = buildRoot(root)
    for (const [home, uid] of Object.entries(homes)) {
      const clone = join(root, home, 'clone')
      mkdirSync(join(root, home, 'empty'), { recursive: true })
      copyClone(clone)
      execFileSync('chown', ['-R', `${uid}:${uid}`, join(root, home)])
      copyPackages(join(clone, 'node_modules'))
      const owner = `${uid}:${uid}`
      // The files stay those of this clone: hard links share their owner.
      const folders = [join(clone, 'node_modules'), '-type', 'd']
      execFileSync('find', [...folders, '-exec', 'chown', owner, '{}', '+'])
    }
  }, PATIENCE_MS)

  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it('has no bubblewrap, no container engine and no compiler', () => {
    const script = 'for each in bwrap podman docker crun unshare gcc git; do type -P $each; done'
    const found = runInRoot({ root, mounts, uid: 0, cwd: '/', env: { HOME: '/root' } }, script)
    expect(found).toEqual({ code: 1, output: '' })
  })

  it.each([
    ['root', '/root'],
    ['a user', '/home/ada'],
  ] as const)(
    'takes %s from the clone to an own skill that ran, without a failed command',
    { timeout: PATIENCE_MS },
    (_title, home) => {
      const place = { root, mounts, uid: homes[home], cwd: `${home}/clone`, env: { HOME: home } }
      const lines = [
        ...prepareSetUp(),
        ...listCommands(tour),
        `cd ${home}/empty`,
        ...listCommands(quickstart),
        ...OWN_SKILL.trim().split('\n'),
      ]
      const { code, output } = runInRoot(place, createScript(lines))
      expect({
        code,
        failed: output.match(/^FAILED.*/m)?.[0],
        output: code === 0 ? '' : output,
      }).toEqual({
        code: 0,
        failed: undefined,
        output: '',
      })
      expect(output).toContain('"summary": "Hello, Ada!"')
      expect(output).toMatch(/"total": 42\n/)
    },
  )
})

/** Copies the packages; hard links save time and space where the file system allows them. */
function copyPackages(target: string): void {
  const source = join(ROOT, 'node_modules')
  if (spawnSync('cp', ['-al', source, target]).status === 0) return
  rmSync(target, { recursive: true, force: true })
  execFileSync('cp', ['-a', source, target])
}
