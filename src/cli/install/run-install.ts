import { relative } from 'node:path'
import { checkUpdate } from '../../core/installing/check-update.ts'
import {
  readLockFile,
  type ApprovalMeans,
  type LockedSkill,
} from '../../core/installing/lock-file.ts'
import {
  prepareSkill,
  removeStaged,
  type PreparedSkill,
} from '../../core/installing/prepare-skill.ts'
import {
  applyChange,
  locateInstall,
  recoverInstall,
  stageFiles,
} from '../../core/installing/swap-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { askConsent } from './ask-consent.ts'
import { checkSignatures } from './check-signatures.ts'
import { describeInstall } from './describe-install.ts'
import { findScanProblems } from './scan-skill.ts'
import { restoreInstalled } from './restore-installed.ts'

/** `skills install`. */
export async function runInstall(context: Context, call: CommandLine): Promise<number> {
  const [source] = call.args
  const { projectDir } = await openConfig(context)
  const places = locateInstall(projectDir)
  await recoverInstall(places)
  if (source === undefined) return await restoreInstalled(context, call, { places, projectDir })
  if (call.options['frozen'] === true) {
    throw new SkillsError('usage/invalid', '--frozen installs what skills.lock has, not a source', {
      hint: 'Type "skills install --frozen", or omit --frozen',
    })
  }
  const place = parseSkillSource(source, context.cwd)
  const fetched = await fetchSource(place, { signal: context.signal })
  const skill = prepareSkill(fetched.files)
  const recorded =
    place.type === 'url' ? source : relative(projectDir, place.path).replaceAll('\\', '/') || '.'
  const signers = checkSignatures(context, { skill, fetched, place })
  const request = {
    skill: { ...skill, source: recorded },
    allowsDowngrade: call.options['allowDowngrade'] === true,
  }
  const before = checkUpdate(places, readLockFile(places.lock), request)
  const staged = await stageFiles(places, skill.folder, fetched.files)
  try {
    const problems = await findScanProblems(context, staged)
    const shown = describeInstall({ skill, source: recorded, signers, before, problems })
    const by = await askConsent(context, call, { skill, before, shown })
    const entry = toLocked(skill, {
      source: recorded,
      archive: fetched.archiveDigest ?? null,
      signers,
      by,
    })
    await applyChange(places, {
      folder: skill.folder,
      staged,
      update: (locked) => {
        // Another process may have installed a skill during the prompt.
        checkUpdate(places, locked, request)
        return [...locked.filter(({ name }) => name !== skill.name), entry]
      },
    })
    return reportInstalled(context, entry)
  } finally {
    removeStaged(staged)
  }
}

interface LockedFacts {
  source: string
  archive: string | null
  signers: readonly string[]
  by: ApprovalMeans
}

function toLocked(
  skill: PreparedSkill,
  { source, archive, signers, by }: LockedFacts,
): LockedSkill {
  const { name, version, folder, tree, files, capabilities, capabilityDigest } = skill
  return {
    name,
    version,
    source,
    archive,
    folder,
    tree,
    files,
    capabilities: capabilities.map(({ kind, value }) => `${kind} ${value}`),
    signers,
    approved: { tree, capabilities: capabilityDigest, by },
  }
}

function reportInstalled(context: Context, { name, version, tree, folder }: LockedSkill): number {
  const path = `.agents/skills/${folder}`
  if (context.global.json)
    context.document('skills.install/v1', { installed: [{ name, version, tree, path }] })
  else context.print(`installed ${name}@${version} ${tree} in ${path}`)
  return 0
}
