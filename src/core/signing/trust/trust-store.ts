import { randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { readTrusted } from '../../config/read-trusted.ts'
import { formatTrust, parseTrust } from './parse-trust.ts'
import { EMPTY_TRUST, type TrustList } from './trust-list.ts'

/** The trust list of the user, in one file. */
export interface TrustStore {
  file: string
  /** Refuses a file that other users can change. An absent file trusts no key. */
  read(): TrustList
  /** Replaces the list atomically, unless another process changed it after it was read. */
  write(list: TrustList): Promise<void>
}

export function openTrustStore(file: string): TrustStore {
  let before: string | undefined
  return {
    file,
    read() {
      const text = readTrustText(file)
      before = text
      return text === undefined ? EMPTY_TRUST : parseTrust(text, file)
    },
    async write(list) {
      const text = formatTrust(list)
      // A list that would be refused later must not replace one that is valid.
      parseTrust(text, file)
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const target = resolveTarget(file)
      const draft = `${target}.${randomBytes(8).toString('hex')}`
      try {
        await writeSynced(draft, text)
        // A revocation by another process must not be lost.
        if (readTrustText(file) !== before) throw changedTrustError(file)
        renameSync(draft, target)
        before = text
        await syncFolder(dirname(target))
      } finally {
        rmSync(draft, { force: true })
      }
    },
  }
}

/** The file behind a link, such as those of managers of configuration files. */
function resolveTarget(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function readTrustText(file: string): string | undefined {
  const hint = 'Correct it: until then, no signature is verified'
  return readTrusted(file, 'the trust list', { code: 'trust/invalid', hint })
}

function changedTrustError(file: string): SkillsError {
  return new SkillsError('trust/invalid', `The trust list "${file}" was changed meanwhile`, {
    hint: 'Run the command again',
  })
}
