import { log } from 'runtime'

interface Args {
  name: string
}

export function main(args: Args): { summary: string; greeting: string } {
  log.debug('greeting', args.name)
  const greeting = `Hello, ${args.name}!`
  return { summary: greeting, greeting }
}
