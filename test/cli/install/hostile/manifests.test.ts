// @module-tag slow
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createTextSkill } from '../../../helpers/projects.ts'
import { writeTree, type Tree } from '../../../helpers/skills.ts'
import { buildTar, type TarPart } from '../../../core/packing/hostile/build-tar.ts'
import {
  createHostileProject,
  expectSentence,
  packTree,
  testAttacks,
  type InstallAttack,
} from './attack.ts'

const GREET = createTextSkill('greet')
const SKILL_MD = GREET['SKILL.md'] as string

/** An archive with other files. */
function fault(name: string, says: string, tree: Tree): InstallAttack {
  return {
    name,
    says,
    control: 'a skill',
    async prepare({ cwd }, isHostile) {
      const bytes = await packTree(isHostile ? { ...GREET, ...tree } : GREET)
      writeFileSync(join(cwd, 'greet.tar.gz'), bytes)
      return 'install ./greet.tar.gz --yes'
    },
  }
}

/** Another name in SKILL.md, as YAML. */
const named = (name: string, says: string, yaml: string) =>
  fault(name, says, { 'SKILL.md': SKILL_MD.replace('name: greet', `name: ${yaml}`) })

const toml = (name: string, version = '0.1.0') =>
  `name = ${JSON.stringify(name)}\nversion = ${JSON.stringify(version)}\ndescription = "x"\nkind = "instruction"\n`

const NAMES: readonly InstallAttack[] = [
  named('a name that leads out', 'not a valid skill name', '../../evil'),
  named('a name with a slash', 'not a valid skill name', 'skills/evil'),
  named('a name of two dots', 'not a valid skill name', '".."'),
  named('a name with a control character', 'not a valid skill name', '"gr\\u001b[2Jeet"'),
  named('a name with a line break', 'not a valid skill name', '"greet\\nname: pdf"'),
  named('a name that reorders text', 'not a valid skill name', '"gr\\u202eteet"'),
  named('a name with a zero-width character', 'not a valid skill name', '"gr\\u200beet"'),
  named('a name of letters that look alike', 'not a valid skill name', '"gr\\u0435et"'),
  named('a name of wide letters', 'not a valid skill name', '"\\uff47reet"'),
  named('a name in a decomposed form', 'not a valid skill name', '"cafe\\u0301"'),
  named('a name that is too long', 'not a valid skill name', 'a'.repeat(200)),
  named('no name', '"name" is missing', '""'),
  named('a name that is a list', '"name" is missing', '[greet]'),
  named('a device of Windows', 'is reserved on Windows', 'con'),
  named('a port of Windows', 'is reserved on Windows', 'com1'),
  named('aliases without end', 'nested too deeply', '&a [*a, *a]'),
  fault('a name in skill.toml that leads out', 'not a valid skill name', {
    'skill.toml': toml('../evil'),
  }),
  fault('a version that controls the terminal', 'not a valid version', {
    'skill.toml': toml('greet', '1.0.0\u001b[2J'),
  }),
  fault('a key that is there twice', 'already defined', {
    'skill.toml': `${toml('greet')}name = "x"\n`,
  }),
  fault('a manifest without end', 'is refused', { 'skill.toml': '#'.repeat(26 * 1024 ** 2) }),
]

/** An archive with further entries. */
function entry(name: string, says: string, ...parts: readonly TarPart[]): InstallAttack {
  return {
    name,
    says,
    control: 'an archive',
    prepare({ cwd }, isHostile) {
      const skill = Object.entries(GREET).map(([path, data]) => ({ path, data: data as string }))
      const packed = gzipSync(buildTar([...skill, ...(isHostile ? parts : [])]))
      writeFileSync(join(cwd, 'greet.tar.gz'), packed)
      return 'install ./greet.tar.gz --yes'
    },
  }
}

const part = (path: string): TarPart => ({ path, data: 'x' })

const ENTRIES: readonly InstallAttack[] = [
  entry('a path that leads out', 'leads out with ".."', part('../evil.md')),
  entry('an absolute path', 'is absolute', part('/tmp/evil.md')),
  entry('a link', 'is a symbolic link', { path: 'link', type: '2', link: '/etc/passwd' }),
  entry('a hard link', 'is a hard link', { path: 'link', type: '1', link: '/etc/passwd' }),
  entry('a device', 'is a device', { path: 'null', type: '3' }),
  entry('two paths in different case', 'are one file', part('a.md'), part('A.md')),
  entry('two forms of Unicode', 'NFC', part('caf\u00e9.md'), part('cafe\u0301.md')),
  entry('a file below a file', 'which is a file', part('a'), part('a/b')),
  entry('a device of Windows', 'is reserved on Windows', part('nul.md')),
  entry('a stream of NTFS', 'Windows does not allow', part('SKILL.md:evil')),
  entry('a folder of git', 'version control', part('.git/hooks/post-checkout')),
  entry('a path that reorders text', 'is not visible', part('a\u202egpj.md')),
]

/** A skill whose folder belongs to an installed one. */
function sameFolder(name: string, says: string, prepare: (cwd: string) => void): InstallAttack {
  return {
    name,
    says,
    async prepare({ cwd, succeed }, isHostile) {
      writeTree(cwd, {
        'one/SKILL.md': SKILL_MD,
        'two/SKILL.md': isHostile ? SKILL_MD : SKILL_MD.replace('greet', 'bye'),
        'two/skill.toml': toml('other.greet'),
      })
      await succeed('install ./one --yes')
      prepare(cwd)
      return 'install ./two --yes'
    },
  }
}

const COLLISIONS: readonly InstallAttack[] = [
  sameFolder('whose files are there', 'belongs to "greet"', () => {}),
  sameFolder('whose files are missing', 'belongs to "greet"', (cwd) => {
    rmSync(join(cwd, '.agents/skills/greet'), { recursive: true })
  }),
]

describe('a hostile manifest', () => {
  testAttacks(NAMES)
})

describe('a hostile archive', () => {
  testAttacks(ENTRIES)
})

describe('the folder of another skill', () => {
  testAttacks(COLLISIONS)
})

describe('hidden text', () => {
  it.each([
    ['tags', 'hidden', '\u{e0068}\u{e0069}'],
    ['zero-width characters', 'hidden', 'run\u200b\u200c\u200dthis'],
    ['reordered text', 'bidi', 'safe \u202eevil'],
  ])('of %s is shown before a consent, and not installed without one', async (_, rule, hidden) => {
    const project = createHostileProject()
    const { cwd, run } = project
    writeTree(cwd, { 'greet/SKILL.md': `${SKILL_MD}\n${hidden}\n`, 'plain/SKILL.md': SKILL_MD })
    const result = await run('install ./greet')
    expect(result.code).toBe(4)
    expectSentence(result, `! hygiene/${rule}-character in SKILL.md`)
    // The control: the same without the text.
    const plain = await run('install ./plain')
    expect(plain.code).toBe(4)
    expect(plain.stderr).not.toContain('-character')
  })
})
