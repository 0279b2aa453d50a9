import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { writeFileWhole } from '../../../util/files/write-file-whole.ts'
import { parseStrictJson } from '../../signing/envelope/strict-json.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import { isOwnFolder, prepareOwnFolder } from '../own-folder.ts'

/** The archive that files came from. Attestations name it, and not the files. */
export type ArchiveFacts = Pick<FetchedSkill, 'archiveDigest' | 'otherDigests' | 'packageUrl'>

/**
 * Archives that this machine unpacked, by the digest of their files. They are not stored next to
 * pending files: a process that changes these could claim the archive of another skill.
 */
export interface ArchiveStore {
  find(tree: string): ArchiveFacts | undefined
  add(tree: string, facts: ArchiveFacts): Promise<void>
}

const MAX_BYTES = 64 * 1024
const MAX_DIGESTS = 8

export function openArchiveStore(folder: string): ArchiveStore {
  const locate = (tree: string) => join(folder, tree.replace('sha256:', ''))
  return {
    find(tree) {
      const file = locate(tree)
      const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
      const bytes = isOwnFolder(folder) && isFile ? readUpTo(file, MAX_BYTES) : undefined
      return bytes && parseFacts(bytes.toString('utf8'), file)
    },
    async add(tree, { archiveDigest, otherDigests = [], packageUrl }) {
      prepareOwnFolder(folder, 'The archive of the skill')
      const document = {
        archive: archiveDigest ?? null,
        others: otherDigests,
        package: packageUrl ?? null,
      }
      await writeFileWhole(locate(tree), `${JSON.stringify(document)}\n`)
    },
  }
}

function parseFacts(text: string, file: string): ArchiveFacts {
  const root = parseStrictJson(text, (problem) => {
    const message = `The record of an archive "${file}" is not valid: ${problem}`
    return new SkillsError('skill/invalid', message, {
      hint: 'Remove the file, and install the skill from its source again',
    })
  })
  const [archive, name] = [root.at('archive'), root.at('package')]
  return {
    archiveDigest: archive.value === null ? undefined : archive.text(),
    otherDigests: root.at('others').texts(MAX_DIGESTS),
    packageUrl: name.value === null ? undefined : name.text(),
  }
}
