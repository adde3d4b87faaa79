<?php

declare(strict_types=1);

namespace Shop\Core;

use Shop\Base;
use function strlen;

define('SHOP_VERSION', '1.0');
const LIMIT = 3; // how many at once

/**
 * Sells things.
 */
#[Attribute]
abstract class Shop extends Base implements Shape, \Countable
{
    use Helpers;

    public const COLORS = ['red', 'green'];
    private ?string $name = null; // over the door
    protected static int $count = 0, $more = 1;

    public function __construct(private readonly Store $store, int $plain = 1)
    {
    }

    public function find(string $key, int ...$rest): ?array
    {
        $local = 1;
        return null;
    }

    abstract protected function later(): void;
}

interface Shape
{
    public function area(string $unit): float;
}

trait Helpers
{
    private function help() {}
}

enum Color: string
{
    case Red = 'red';
    case Green = 'green';
}

function plain($a, $b = 2)
{
    function inside() {}
    return $a;
}
