import type { RunCall } from '../../runs/run-call.ts'
import type { SavedArtifact } from '../../runs/run-events.ts'
import type { Services } from '../../services.ts'

/** Artifacts that a call saved, by the result of any tool that saves some. */
export function listSavedArtifacts(result: unknown): readonly SavedArtifact[] {
  const { artifact_files: files, saved_as: name, result: ended, ...rest } = readResult(result)
  if (Array.isArray(files)) return files as readonly SavedArtifact[]
  if (typeof name === 'string') {
    const { version, ref, mime_type, size_bytes } = rest as unknown as SavedArtifact
    return [{ name, version, ref, mime_type, size_bytes }]
  }
  return ended === undefined ? [] : listSavedArtifacts(ended)
}

/** Adds to a handler that it reports each saved artifact as an event of the call. */
export function reportArtifacts<Params, Result>(
  handler: (services: Services, params: Params, call: RunCall) => Promise<Result>,
): (services: Services, params: Params, call: RunCall) => Promise<Result> {
  return async (services, params, call) => {
    const result = await handler(services, params, call)
    for (const artifact of listSavedArtifacts(result))
      call.onEvent?.({ type: 'artifact', artifact })
    return result
  }
}

function readResult(result: unknown): Record<string, unknown> {
  return typeof result === 'object' && result !== null ? (result as Record<string, unknown>) : {}
}
