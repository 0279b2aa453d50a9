import { resolve } from 'node:path'
import { readTrusted } from '../../core/config/read-trusted.ts'
import type { SignedEnvelope } from '../../core/signing/envelope/dsse.ts'
import type { SigstoreVerifier } from '../../core/signing/sigstore/verify-sigstore.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/**
 * The verifier of `--trusted-root`, or of the user's configuration if there are bundles of sigstore.
 * Undefined if neither names roots.
 */
export async function openTrustedRoot(
  context: Context,
  call: CommandLine,
  envelopes: readonly SignedEnvelope[] | undefined,
): Promise<SigstoreVerifier | undefined> {
  const option = getTextOption(call, 'trustedRoot')
  if (option !== undefined) return await openRootFile(resolve(context.cwd, option))
  if (!envelopes?.some((each) => each.sigstore !== undefined)) return undefined
  const { config } = await openConfig(context)
  const { sigstoreRoot } = config.trust
  return sigstoreRoot === undefined ? undefined : await openRootFile(sigstoreRoot)
}

async function openRootFile(file: string): Promise<SigstoreVerifier> {
  const refuse = (problem: string) =>
    new SkillsError('trust/invalid', `The trusted root "${file}" is not valid: ${problem}`, {
      hint: 'Get one with "gh attestation trusted-root", or from the owner of the instance',
    })
  // Other users must not be able to add an authority.
  const text = readTrusted(file, 'the trusted root')
  if (text === undefined) throw refuse('it does not exist')
  const { openSigstoreVerifier } = await import('../../core/signing/sigstore/verify-sigstore.ts')
  return await openSigstoreVerifier(text, refuse)
}
