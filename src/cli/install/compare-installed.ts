import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { compareSkills, type SkillComparison } from '../../core/comparing/compare-skills.ts'
import { readFolderSnapshot } from '../../core/comparing/snapshots/folder-snapshot.ts'
import { createMemorySnapshot } from '../../core/comparing/snapshots/memory-snapshot.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { PackedFile } from '../../core/packing/packed-file.ts'
import { toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { textReporter } from '../diff/text-report.ts'
import { VERSION } from '../version.ts'
import { openConfig } from '../runtime.ts'

interface ReplacedSkill {
  places: InstallPlaces
  skill: PreparedSkill
  before: LockedSkill | undefined
}

interface InstalledComparison {
  comparison: SkillComparison | undefined
  /** Empty if nothing is replaced. */
  text: string
}

/** Compares the installed files with the new ones; no code is executed. */
export async function compareInstalled(
  context: Context,
  { places, skill, before }: ReplacedSkill,
  files: readonly PackedFile[],
): Promise<InstalledComparison> {
  if (before === undefined || before.tree === skill.tree) return { comparison: undefined, text: '' }
  const installed = join(places.skills, before.folder)
  if (lstatSync(installed, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const text = 'The installed files are missing, and are not compared with the new ones'
    return { comparison: undefined, text }
  }
  const { config } = await openConfig(context)
  const comparison = await compareSkills(
    readFolderSnapshot(installed, `installed ${before.version}`),
    createMemorySnapshot(files, { label: `new ${skill.version}`, folder: skill.folder }),
    { python: config.run.python, env: context.env },
  )
  const style = createNoStyle()
  const options = {
    style,
    hasColors: false,
    columns: Infinity,
    folder: '',
    version: VERSION,
    hidesStep: true,
  }
  return { comparison, text: toPrintableLines(textReporter.render(comparison, options)) }
}

function createNoStyle(): Context['style'] {
  const plain = ((text: string) => text) as unknown as Context['style']
  const style: Context['style'] = new Proxy(plain, { get: () => style })
  return style
}
