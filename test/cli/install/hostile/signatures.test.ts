// @module-tag slow
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { createTextSkill, prefixPaths } from '../../../helpers/projects.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { testAttacks, type HostileProject, type InstallAttack } from './attack.ts'

const GREET = './packed/greet-0.1.0.tar.gz'
const BUNDLE = '.intoto.jsonl'

async function runAll({ succeed }: HostileProject, ...lines: readonly string[]): Promise<void> {
  for (const line of lines) await succeed(line)
}

interface PackedSkill {
  name?: string
  version?: string
  text?: string
}

/** Packs a skill into an archive next to the project's files. */
async function pack(
  project: HostileProject,
  { name = 'greet', version = '0.1.0', text }: PackedSkill = {},
): Promise<void> {
  writeTree(project.cwd, prefixPaths(name, createTextSkill(name, version, text)))
  await runAll(project, `pack ./${name} --out ./packed --skip-lint --force`)
}

/** An archive that the key `release` signed, which is trusted for every source. */
async function createSigned(project: HostileProject): Promise<void> {
  await pack(project)
  await runAll(
    project,
    'keys new release',
    'keys trust release --own --source *',
    `sign ${GREET} --key release`,
  )
}

type Preparation = (project: HostileProject) => Promise<void>

const doNothing: Preparation = async () => {}

/** A fault of a signed archive, and what happens instead of it. */
function signed(
  name: string,
  says: string,
  ...[fault, control = doNothing]: readonly [Preparation, Preparation?]
): InstallAttack {
  return {
    name,
    says,
    async prepare(project, isHostile) {
      await createSigned(project)
      await (isHostile ? fault : control)(project)
      return `install ${GREET} --yes`
    },
  }
}

const commands =
  (...lines: readonly string[]): Preparation =>
  async (project) =>
    await runAll(project, ...lines)

/** Trusts the key again, in another way. */
const trustAgain = (options: string) =>
  commands('keys remove --trusted release', `keys trust release --own ${options}`)

const RULE = 'keys rule * --threshold 1'

/** Moves the signatures of another archive to the installed one. */
async function moveBundle({ cwd }: HostileProject, from: string): Promise<void> {
  copyFileSync(join(cwd, `${from}${BUNDLE}`), join(cwd, `${GREET}${BUNDLE}`))
}

/** Signs twice with one key, or once with each of two. */
const signTwice = (second: string) => async (project: HostileProject) => {
  const bundle = join(project.cwd, `${GREET}${BUNDLE}`)
  const first = readFileSync(bundle, 'utf8')
  await runAll(
    project,
    'keys new second',
    'keys trust second --own --source *',
    'keys rule * --threshold 2',
  )
  rmSync(bundle)
  await runAll(project, `sign ${GREET} --key ${second}`)
  writeFileSync(bundle, first + readFileSync(bundle, 'utf8'))
}

const KEYS: readonly InstallAttack[] = [
  signed('that is revoked', '(revoked)', commands('keys revoke release --reason stolen')),
  signed(
    'that has expired',
    '(expired)',
    trustAgain('--source * --expires 2020-01-01'),
    trustAgain('--source * --expires 2100-01-01'),
  ),
  signed(
    'that is trusted for another source',
    '(source)',
    trustAgain('--source github:bob/*'),
    trustAgain('--source *'),
  ),
  signed(
    'that is unknown, where a rule demands one',
    'demands 1',
    commands(RULE, 'keys remove --trusted release'),
    commands(RULE),
  ),
  signed(
    'that signs twice for a rule of two',
    'demands 2',
    signTwice('release'),
    signTwice('second'),
  ),
  signed('that is one of two', 'demands 2', commands('keys rule * --threshold 2'), commands(RULE)),
  {
    name: 'that is revoked, although another one is valid, where a rule demands two',
    says: 'demands 2',
    async prepare(project, isHostile) {
      await createSigned(project)
      await signTwice('second')(project)
      if (isHostile) await runAll(project, 'keys revoke release --reason stolen')
      return `install ${GREET} --yes`
    },
  },
  {
    name: 'that is delivered with the skill',
    says: 'demands 1',
    async prepare(project, isHostile) {
      await runAll(project, 'keys new release')
      writeTree(project.cwd, prefixPaths('greet', createTextSkill('greet')))
      const { stdout } = await project.run('keys export release')
      writeTree(project.cwd, { 'greet/release.pub': stdout })
      await runAll(
        project,
        'pack ./greet --out ./packed --skip-lint',
        `sign ${GREET} --key release`,
        RULE,
      )
      if (!isHostile) await runAll(project, 'keys trust release --own --source *')
      return `install ${GREET} --yes`
    },
  },
]

const BUNDLES: readonly InstallAttack[] = [
  signed(
    'that are missing, where a rule demands them',
    'demands 1',
    async (project) => {
      await runAll(project, RULE)
      rmSync(join(project.cwd, `${GREET}${BUNDLE}`))
    },
    commands(RULE),
  ),
  signed('of another version', '(other)', async (project) => {
    await pack(project, { version: '0.2.0' })
    await runAll(project, 'sign ./packed/greet-0.2.0.tar.gz --key release')
    await moveBundle(project, './packed/greet-0.2.0.tar.gz')
  }),
  signed('of another skill', '(other)', async (project) => {
    await pack(project, { name: 'pdf' })
    await runAll(project, 'sign ./packed/pdf-0.1.0.tar.gz --key release')
    await moveBundle(project, './packed/pdf-0.1.0.tar.gz')
  }),
  signed('of another archive of the same version', '(changed)', async (project) => {
    const { cwd } = project
    copyFileSync(join(cwd, `${GREET}${BUNDLE}`), join(cwd, 'kept'))
    await pack(project, { text: 'Says goodbye.' })
    copyFileSync(join(cwd, 'kept'), join(cwd, `${GREET}${BUNDLE}`))
  }),
  signed('that are cut', 'are not valid', async ({ cwd }) => {
    const bundle = join(cwd, `${GREET}${BUNDLE}`)
    writeFileSync(bundle, readFileSync(bundle, 'utf8').slice(0, 200))
  }),
  signed('whose statement was changed', 'demands 1', async (project) => {
    const bundle = join(project.cwd, `${GREET}${BUNDLE}`)
    const envelope = JSON.parse(readFileSync(bundle, 'utf8')) as { payload: string }
    const payload = Buffer.from(envelope.payload, 'base64').toString().replace('greet', 'groot')
    const changed = { ...envelope, payload: Buffer.from(payload).toString('base64') }
    writeFileSync(bundle, `${JSON.stringify(changed)}\n`)
    await runAll(project, RULE)
  }),
]

/** A signed skill is installed from one file, which a mirror replaces. */
const MIRRORS: readonly InstallAttack[] = [
  {
    name: 'that serves an old signed version',
    says: '0.1.0 is older than the installed 0.2.0',
    async prepare(project, isHostile) {
      const { cwd } = project
      const serve = (version: string) => {
        for (const end of ['', BUNDLE]) {
          const from = join(cwd, `packed/greet-${version}.tar.gz${end}`)
          copyFileSync(from, join(cwd, `greet.tar.gz${end}`))
        }
      }
      await createSigned(project)
      for (const version of ['0.2.0', '0.3.0']) {
        await pack(project, { version })
        await runAll(project, `sign ./packed/greet-${version}.tar.gz --key release`)
      }
      serve('0.2.0')
      await runAll(project, 'install ./greet.tar.gz --yes')
      serve(isHostile ? '0.1.0' : '0.3.0')
      return 'update --yes'
    },
  },
]

describe('a key', () => {
  testAttacks(KEYS)
})

describe('signatures', () => {
  testAttacks(BUNDLES)
})

describe('a mirror', () => {
  testAttacks(MIRRORS)
})
