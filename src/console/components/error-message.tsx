/** An error as a sentence, with its hint if the server sent one. */
export function ErrorMessage({ error }: { error: unknown }) {
  const { message, data } = readFailure(error)
  const hint = typeof data?.['hint'] === 'string' ? data['hint'] : undefined
  return (
    <div class="error" role="alert">
      <p>{message}</p>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  )
}

function readFailure(error: unknown): { message: string; data?: Record<string, unknown> } {
  const { message, data } = (error ?? {}) as { message?: unknown; data?: Record<string, unknown> }
  return { message: typeof message === 'string' ? message : String(error), ...(data && { data }) }
}
