import type { Plain } from '../../core/skills/manifest/manifest.ts'
import type { RunResult } from '../../core/runs/result.ts'
import { SkillsError } from '../../errors.ts'
import type { BlobPort } from '../../runtime-handle/handle.ts'

/** The output of a run. If the result refers to a blob, returns the blob's content. */
export async function readWholeOutput(
  blobs: BlobPort,
  result: RunResult,
): Promise<Plain | undefined> {
  const id = findOutputBlob(result)
  if (id === undefined) return result.output
  const chunks: Buffer[] = []
  for await (const chunk of await blobs.read(id)) {
    chunks.push(Buffer.from(chunk as Uint8Array))
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Plain
  } catch (cause) {
    throw new SkillsError('file/unreadable', `The blob "${id}" of the result is not JSON`, {
      hint: `Type "skills blobs get ${id}" to see its content`,
      cause,
    })
  }
}

/**
 * Id of the blob that holds the output. A lookalike returned by the code counts only if the run
 * created that blob.
 */
function findOutputBlob({ output, output_blobs: blobs }: RunResult): string | undefined {
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return undefined
  const { truncated, blob_id: id } = output
  return truncated === true && typeof id === 'string' && blobs.includes(id) ? id : undefined
}
