// Makes a Node without built-in support load TypeScript. Types are replaced by blanks, so positions
// are unchanged.
import { register } from 'node:module'

register('./strip-hooks.mjs', import.meta.url, {
  data: { stripper: new URL(import.meta.url).searchParams.get('from') },
})
