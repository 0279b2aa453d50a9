import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { locateInstall } from '../../../src/core/installing/install-places.ts'
import type {
  ConsentFacts,
  InstallResult,
} from '../../../src/core/installing/installer/candidate.ts'
import { installPending } from '../../../src/core/installing/installer/install-pending.ts'
import { installSources } from '../../../src/core/installing/installer/install-sources.ts'
import type { Installer } from '../../../src/core/installing/installer/installer.ts'
import { restoreInstalled } from '../../../src/core/installing/installer/restore-installed.ts'
import { updateSkills } from '../../../src/core/installing/installer/update-skills.ts'
import { readLockFile } from '../../../src/core/installing/lock-file.ts'
import { openConsentStore } from '../../../src/core/installing/machine-consents.ts'
import { openArchiveStore } from '../../../src/core/installing/pending/archive-store.ts'
import { openTrustStore } from '../../../src/core/signing/trust/trust-store.ts'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'

interface TestedInstaller {
  installer: Installer
  source: string
  installed: string
  shown: ConsentFacts[]
  results: InstallResult[]
}

/** An installer of an empty project, whose caller gives one answer to each question. */
async function createInstaller(answer: boolean | undefined): Promise<TestedInstaller> {
  const base = createFolder(prefixPaths('greet', createInstructionSkill('demo.greet')))
  const [project, user] = [createFolder({ 'skills.config.toml': '' }), createFolder()]
  const env = { HOME: user }
  const { config } = await loadConfig({ cwd: project, env, noFiles: true })
  const shown: ConsentFacts[] = []
  const results: InstallResult[] = []
  const installer: Installer = {
    places: locateInstall(project),
    config,
    projectDir: project,
    env,
    signal: new AbortController().signal,
    trust: openTrustStore(join(user, 'trust.json')),
    consents: openConsentStore(join(user, 'consents')),
    archives: openArchiveStore(join(user, 'archives')),
    sigstoreRoots: { named: undefined, configured: async () => await Promise.resolve(undefined) },
    options: {
      trust: [],
      yes: false,
      force: false,
      frozen: false,
      allowDowngrade: false,
      allowRepublished: false,
      agents: [],
      copy: false,
    },
    caller: {
      fetching: async (_, work) => await work(),
      note: () => {},
      show: (facts) => void shown.push(facts),
      agree: async () => await Promise.resolve(answer),
      offerAgents: async () => await Promise.resolve(false),
      report: (result) => void results.push(result),
      runTrials: async () => await Promise.reject(new Error('nothing is run')),
    },
  }
  const installed = join(project, '.agents/skills/greet')
  return { installer, source: join(base, 'greet'), installed, shown, results }
}

it('a caller who agrees has the skill, and its digests in the lock', async () => {
  const { installer, source, installed, shown, results } = await createInstaller(true)
  await installSources(installer, [source], { cwd: '/' })
  expect(existsSync(join(installed, 'SKILL.md'))).toBe(true)
  expect(readLockFile(installer.places.lock)).toMatchObject([
    { name: 'demo.greet', approved: { by: 'prompt' } },
  ])
  expect(shown).toMatchObject([{ skill: { name: 'demo.greet' }, before: undefined }])
  expect(results).toMatchObject([{ skill: { name: 'demo.greet' } }])
})

it('a caller who does not agree has nothing', async () => {
  const { installer, source, installed } = await createInstaller(false)
  await expect(installSources(installer, [source], { cwd: '/' })).rejects.toMatchObject({
    code: 'run/cancelled',
  })
  expect(existsSync(installed)).toBe(false)
  expect(readLockFile(installer.places.lock)).toEqual([])
})

it('a skill is pending without a caller who could agree, and installed by its digest', async () => {
  const { installer, source, installed, shown } = await createInstaller(undefined)
  await expect(installSources(installer, [source], { cwd: '/' })).rejects.toMatchObject({
    code: 'consent/required',
  })
  expect(existsSync(installed)).toBe(false)
  const trust = shown.map(({ skill }) => skill.tree)
  const options = { ...installer.options, trust }
  await installPending({ ...installer, options }, 'demo.greet')
  expect(existsSync(installed)).toBe(true)
})

it('a skill that is missing is restored without a question, and one that changed is not replaced', async () => {
  const { installer, source, installed, shown } = await createInstaller(true)
  await installSources(installer, [source], { cwd: '/' })
  rmSync(installed, { recursive: true })
  expect(await restoreInstalled(installer)).toMatchObject([{ skill: { name: 'demo.greet' } }])
  expect(shown).toHaveLength(1)
  writeFileSync(join(installed, 'SKILL.md'), 'other')
  await expect(restoreInstalled(installer)).rejects.toMatchObject({ code: 'skill/changed' })
})

it('an update shows the differences from the installed files, and a failed one stops no other', async () => {
  const { installer, source, shown } = await createInstaller(true)
  await installSources(installer, [source], { cwd: '/' })
  const file = join(source, 'SKILL.md')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nMore.\n`)
  const [locked] = readLockFile(installer.places.lock)
  if (!locked) throw new Error('the skill is installed')
  const gone = { ...locked, name: 'demo.gone', source: './gone' }
  const results = await updateSkills(installer, [gone, locked])
  expect(results.map(({ status }) => status)).toEqual(['failed', 'updated'])
  expect(shown.at(-1)?.comparison).toMatchObject({ severity: 'minor' })
})
