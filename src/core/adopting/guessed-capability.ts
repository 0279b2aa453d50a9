import type { SecretUse } from '../skills/manifest/manifest.ts'
import type { Certainty } from './script-interface.ts'

/** A right or a need that the code of a skill seems to have. */
export interface GuessedCapability {
  kind: 'host' | 'secret' | 'program' | 'file' | 'package'
  value: string
  /** Language of a package. */
  language?: 'python' | 'node'
  certainty: Certainty
  place: string
  /** True if the manifest allows it; others are listed in comments. */
  allowed: boolean
  reason: string
  /** Hosts and places of a secret, if the code shows all of them. */
  use?: SecretUse
}
