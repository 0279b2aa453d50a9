import type { OptionDefinition } from '../command.ts'

export const TRUSTED_ROOT_OPTION: OptionDefinition = {
  flags: '--trusted-root <file>',
  description: 'Check attestations with these roots of sigstore (default: trust.sigstore_root)',
}
