require "json"
require_relative "shop/base"

# Sells things.
# At length.
module Shop
  LIMIT = 3 # how many at once

  class Error < StandardError; end

  class Store < Base
    include Comparable
    attr_reader :name, :stock
    attr_accessor :street

    COLORS = %w[red green].freeze

    class << self
      def build(*args, **options, &block)
        new(*args)
      end
    end

    # Look for something.
    def find(key, from: nil)
      local = 1
      local
    end

    def self.create = new

    def size=(value)
      @size = value
    end

    def <=>(other)
      0
    end

    private

    def hidden?
      true
    end

    alias look_for find
  end
end

def plain(a, b = 2)
  a
end
