import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { compareSkills } from '../../comparing/compare-skills.ts'
import { readFolderSnapshot } from '../../comparing/snapshots/folder-snapshot.ts'
import { createMemorySnapshot } from '../../comparing/snapshots/memory-snapshot.ts'
import type { InstallCandidate, InstalledComparison } from './candidate.ts'
import type { Installer } from './installer.ts'

/** Compares the installed files with the new ones; undefined if nothing is replaced. No code is executed. */
export async function compareInstalled(
  { places, config, env }: Installer,
  { skill, before, fetched }: InstallCandidate,
): Promise<InstalledComparison | undefined> {
  if (before === undefined || before.tree === skill.tree) return undefined
  const installed = join(places.skills, before.folder)
  if (lstatSync(installed, { throwIfNoEntry: false })?.isDirectory() !== true) return 'missing'
  return await compareSkills(
    readFolderSnapshot(installed, `installed ${before.version}`),
    createMemorySnapshot(fetched.files, { label: `new ${skill.version}`, folder: skill.folder }),
    { python: config.run.python, env },
  )
}
