/** One server-sent event. */
export interface ServerEvent {
  id: string | undefined
  name: string
  data: Record<string, unknown>
}

/** Reads events until the stream ends or enough have arrived. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parse(frame)
      if (event) yield event
    }
  }
}

function parse(frame: string): ServerEvent | undefined {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const data = field('data')
  if (data === undefined) return undefined
  return {
    id: field('id'),
    name: field('event') ?? 'message',
    data: JSON.parse(data) as Record<string, unknown>,
  }
}
