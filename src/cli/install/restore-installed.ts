import { checkInstalled } from '../../core/installing/check-installed.ts'
import { prepareSkill, removeStaged } from '../../core/installing/prepare-skill.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { applyChange, stageFiles, type InstallPlaces } from '../../core/installing/swap-skill.ts'
import type { PackedFile } from '../../core/packing/packed-file.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

interface RestoreRequest {
  places: InstallPlaces
  projectDir: string
}

/** Installs what the lock has and the disk lacks. All sources are checked before the first change. */
export async function restoreInstalled(
  context: Context,
  call: CommandLine,
  { places, projectDir }: RestoreRequest,
): Promise<number> {
  const isFrozen = call.options['frozen'] === true
  const { skills, unknown } = await checkInstalled(places)
  if (skills.length === 0) {
    throw new SkillsError('skill/not-found', 'There is no skill in skills.lock', {
      hint: 'Name a source: skills install ./folder, or a URL',
    })
  }
  const replaced = skills.filter(({ state }) => state === 'changed' || state === 'link')
  if (isFrozen)
    refuseOthers(
      replaced.map(({ skill }) => skill.folder),
      unknown,
    )
  else if (replaced.length > 0 && call.options['yes'] !== true) {
    throw new SkillsError(
      'skill/changed',
      `The files of "${replaced[0]?.skill.name}" were changed after the installation`,
      {
        hint: 'Type "skills verify" to list them, and "skills install --yes" to replace them',
      },
    )
  }
  const wanted = skills.filter(({ state }) => state !== 'unchanged').map(({ skill }) => skill)
  const fetched: { skill: LockedSkill; files: readonly PackedFile[] }[] = []
  for (const skill of wanted) {
    fetched.push({ skill, files: await fetchLocked(context, projectDir, skill) })
  }
  for (const { skill, files } of fetched) await installLocked(places, skill, files)
  const installed = wanted.map(({ name, version, tree, folder }) => ({
    name,
    version,
    tree,
    path: `.agents/skills/${folder}`,
  }))
  if (context.global.json) context.document('skills.install/v1', { installed })
  else {
    const lines = installed.map(
      ({ name, version, path }) => `installed ${name}@${version} in ${path}`,
    )
    context.print(lines.join('\n') || 'All skills of skills.lock are installed')
  }
  return 0
}

function refuseOthers(changed: readonly string[], unknown: readonly string[]): void {
  const [folder] = [...changed, ...unknown]
  if (folder === undefined) return
  throw new SkillsError(
    'skill/changed',
    `The folder ".agents/skills/${folder}" is not as skills.lock has it`,
    {
      hint: 'Type "skills verify" to list the differences',
    },
  )
}

async function fetchLocked(
  context: Context,
  projectDir: string,
  locked: LockedSkill,
): Promise<readonly PackedFile[]> {
  const place = parseSkillSource(locked.source, projectDir)
  const { files } = await fetchSource(place, { signal: context.signal })
  const { tree } = prepareSkill(files)
  if (tree === locked.tree) return files
  throw new SkillsError(
    'skill/changed',
    `The source of "${locked.name}" has the digest ${tree}, expected ${locked.tree}`,
    {
      hint: `Compare it, and type "skills install ${locked.source}" to agree to the new files`,
    },
  )
}

/** Replaces one folder by the files of its lock entry. */
async function installLocked(
  places: InstallPlaces,
  locked: LockedSkill,
  files: readonly PackedFile[],
): Promise<void> {
  const staged = await stageFiles(places, locked.folder, files)
  const update = (skills: readonly LockedSkill[]) => {
    const now = skills.find(({ name }) => name === locked.name)
    if (now?.tree === locked.tree) return skills
    throw new SkillsError(
      'skill/changed',
      `The lock of "${locked.name}" changed during the installation`,
      {
        hint: 'Type "skills install" again',
      },
    )
  }
  try {
    await applyChange(places, { folder: locked.folder, staged, update })
  } finally {
    removeStaged(staged)
  }
}
