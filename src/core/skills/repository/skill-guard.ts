import { SkillsError } from '../../../errors.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import type { SkillEntry } from './repository.ts'
import type { RepositorySnapshots } from './repository-snapshots.ts'
import type { RootScanner, SkillTracking } from './scan-roots.ts'
import { isSameSignature, SkillSignatures } from './skill-signature.ts'

/** Refuses skills whose files differ from those that were read. */
interface SkillGuard {
  /** Wraps a function that reads files of a skill. Pinned skills must be unchanged afterwards. */
  wrap<Rest extends unknown[], Result>(
    read: (entry: SkillEntry, ...rest: Rest) => Promise<Result>,
  ): (entry: SkillEntry, ...rest: Rest) => Promise<Result>
  /** Creates a function that reads a skill for a run, whose manifest and files belong together. */
  createMount(
    readManifest: (entry: SkillEntry) => Promise<Manifest>,
  ): (entry: SkillEntry) => Promise<MountedSkill>
}

export function createSkillGuard(
  tracking: SkillTracking,
  scanner: Pick<RootScanner, 'signature'>,
  snapshots: Pick<RepositorySnapshots, 'waitUntilSettled'>,
): SkillGuard {
  const signatures = new SkillSignatures()
  const requirePinned = ({ name, dir }: Pick<SkillEntry, 'name' | 'dir'>) => {
    if (tracking !== 'pinned') return
    const pinned = scanner.signature(dir)
    // A skill that the repository did not find is not pinned, such as a folder of a command line.
    if (pinned && !isSameSignature(pinned, signatures.sign(dir))) throw changedSinceLoadError(name)
  }
  return {
    wrap:
      (read) =>
      async (entry, ...rest) => {
        try {
          return await read(entry, ...rest)
        } finally {
          // The change is the cause of any other error.
          requirePinned(entry)
        }
      },
    createMount: (readManifest) => async (entry) => {
      const { name, dir } = entry
      const isPinned = tracking === 'pinned'
      // A skill that was just uploaded: a change of its files may not show yet.
      if (isPinned && scanner.signature(dir)?.isSettled === false) await snapshots.waitUntilSettled()
      const pinned = isPinned ? scanner.signature(dir) : undefined
      const before = pinned ?? signatures.sign(dir)
      let manifest: Manifest
      try {
        manifest = await readManifest(entry)
      } finally {
        requirePinned(entry)
      }
      return {
        manifest,
        dir,
        requireUnchanged() {
          if (isSameSignature(before, signatures.sign(dir))) return
          throw pinned ? changedSinceLoadError(name) : changedAtStartError(name)
        },
      }
    },
  }
}

function changedSinceLoadError(name: string): SkillsError {
  return new SkillsError(
    'skill/changed',
    `The files of "${name}" changed after they were loaded: reload the server with SIGHUP, or restart it`,
    { hint: 'Serve with --watch to load changes immediately', data: { reason: 'changed' } },
  )
}

function changedAtStartError(name: string): SkillsError {
  return new SkillsError('skill/changed', `The files of "${name}" changed while its run started`, {
    hint: 'Run it again',
    data: { reason: 'changed' },
  })
}
