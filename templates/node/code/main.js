import { log } from 'runtime'

export function main(args) {
  log.debug('greeting', args.name)
  const greeting = `Hello, ${args.name}!`
  return { summary: greeting, greeting }
}
