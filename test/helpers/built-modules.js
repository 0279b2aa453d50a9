import { register } from 'node:module'

register('./built-module-hooks.js', import.meta.url)
