import type { PublishTarget } from '../../core/publishing/publish-target.ts'
import { openRegistryAccess } from '../../core/registries/credentials/open-access.ts'
import { parseOciRepository } from '../../core/sources/parse-remote.ts'
import { getTextOption } from '../command.ts'
import type { OpenTargetRequest } from './open-target.ts'

export async function openNpm({ context, call, rest }: OpenTargetRequest): Promise<PublishTarget> {
  const { openNpmTarget } = await import('../../core/publishing/npm/npm-target.ts')
  const options = { packageName: rest, tag: getTextOption(call, 'tag') }
  return openNpmTarget(options, openRegistryAccess(context.env))
}

export async function openOci({ context, text }: OpenTargetRequest): Promise<PublishTarget> {
  const { openOciTarget } = await import('../../core/publishing/oci/oci-target.ts')
  return openOciTarget(parseOciRepository(text), openRegistryAccess(context.env))
}
