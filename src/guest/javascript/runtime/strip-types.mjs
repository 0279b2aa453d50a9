// Has Node load TypeScript where it cannot by itself: types are blanked out, nothing else is changed.
import { register } from 'node:module'

register('./strip-hooks.mjs', import.meta.url, {
  data: { stripper: new URL(import.meta.url).searchParams.get('from') },
})
