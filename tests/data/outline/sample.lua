-- Sells things.
local limit = 3

function plain(a, b)
  return a
end

local function hidden()
end
